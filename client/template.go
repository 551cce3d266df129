package client

import (
	"strconv"
	"strings"
)

// A template is one request with holes. Everything that is the same in each request is laid
// out once, so that sending one is a few copies into the connection's buffer.
type template struct {
	parts []part
	size  int // about how many bytes a filled request has
}

// A part is literal text, followed by what fills the hole behind it.
type part struct {
	text string
	hole hole
	body *template // for bodyLength: the body whose length is written
}

type hole uint8

const (
	noHole hole = iota
	user
	number
	bodyLength
)

const userDigits = 8

// newTemplates lays out one request per body, or one without a body.
func newTemplates(c *Config, t *target) []template {
	if len(c.Bodies) == 0 {
		return []template{newTemplate(c, t, nil)}
	}
	all := make([]template, len(c.Bodies))
	for i, body := range c.Bodies {
		all[i] = newTemplate(c, t, body)
	}
	return all
}

func newTemplate(c *Config, t *target, body []byte) template {
	var out template
	out.literal(c.Method + " ")
	out.holes(t.path)
	out.literal(" HTTP/1.1\r\nHost: " + t.host + "\r\n")
	typed := false
	for _, line := range c.Header {
		name, _, _ := strings.Cut(line, ":")
		typed = typed || strings.EqualFold(name, "Content-Type")
		out.literal(line + "\r\n")
	}
	if body == nil {
		if hasBody(c.Method) {
			out.literal("Content-Length: 0\r\n")
		}
		out.literal("\r\n")
		return out.joined()
	}
	if !typed {
		out.literal("Content-Type: application/json\r\n")
	}
	var filled template
	if c.FillBodies {
		filled.holes(string(body))
	} else {
		filled.literal(string(body))
	}
	out.literal("Content-Length: ")
	out.parts = append(out.parts, part{hole: bodyLength, body: &filled})
	out.literal("\r\n\r\n")
	out.parts = append(out.parts, filled.parts...)
	out.size += filled.size
	return out.joined()
}

func (t *template) literal(s string) {
	t.parts = append(t.parts, part{text: s})
	t.size += len(s)
}

// holes appends s with {user} and {n} cut out of it.
func (t *template) holes(s string) {
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			t.literal(s)
			return
		}
		fill, name := noHole, "{"
		switch {
		case strings.HasPrefix(s[i:], "{user}"):
			fill, name = user, "{user}"
		case strings.HasPrefix(s[i:], "{n}"):
			fill, name = number, "{n}"
		}
		if fill == noHole {
			t.literal(s[:i+1])
		} else {
			t.parts = append(t.parts, part{text: s[:i], hole: fill})
			t.size += i + userDigits
		}
		s = s[i+len(name):]
	}
}

// joined merges neighbouring literals, and writes the length of a body without holes as text.
func (t *template) joined() template {
	out := template{size: t.size}
	text := ""
	for _, p := range t.parts {
		text += p.text
		if p.hole == bodyLength && p.body.fixed() {
			text += strconv.Itoa(p.body.length(0))
			continue
		}
		if p.hole != noHole {
			out.parts = append(out.parts, part{text: text, hole: p.hole, body: p.body})
			text = ""
		}
	}
	out.parts = append(out.parts, part{text: text})
	return out
}

func (t *template) fixed() bool {
	for _, p := range t.parts {
		if p.hole != noHole {
			return false
		}
	}
	return true
}

// append fills the request with number n into dst.
func (t *template) append(dst []byte, n int64) []byte {
	for i := range t.parts {
		p := &t.parts[i]
		dst = append(dst, p.text...)
		switch p.hole {
		case user:
			dst = appendUser(dst, n)
		case number:
			dst = strconv.AppendInt(dst, n, 10)
		case bodyLength:
			dst = strconv.AppendInt(dst, int64(p.body.length(n)), 10)
		}
	}
	return dst
}

// length is how many bytes append adds for request n.
func (t *template) length(n int64) int {
	sum := 0
	for _, p := range t.parts {
		sum += len(p.text)
		switch p.hole {
		case user:
			sum += userDigits
		case number:
			sum += decimals(n)
		}
	}
	return sum
}

func decimals(n int64) int {
	digits := 1
	for ; n >= 10; n /= 10 {
		digits++
	}
	return digits
}

// appendUser writes a name for user n. Multiplying by an odd number is a bijection of 32
// bits: neighbours look unlike, and no two of 2^32 are the same.
func appendUser(dst []byte, n int64) []byte {
	const hex = "0123456789abcdef"
	id := uint32(n) * 0x9e3779b1
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, hex[id>>shift&15])
	}
	return dst
}
