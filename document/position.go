package document

import (
	"bytes"
	"strconv"
	"strings"
)

// A mark remembers how many lines lie before an offset, so that a body with a million faults is
// counted through once and not a million times. The zero mark is the start of the text.
type mark struct {
	off       int
	line      int // complete lines before off
	lineStart int
}

// advance moves the mark forward to off.
func (m *mark) advance(src []byte, off int) {
	if off > m.off {
		between := src[m.off:off]
		m.line += bytes.Count(between, []byte{'\n'})
		if last := bytes.LastIndexByte(between, '\n'); last >= 0 {
			m.lineStart = m.off + last + 1
		}
		m.off = off
	}
}

const (
	maxPointer = 1024           // bytes of a pointer
	maxSteps   = maxPointer / 2 // a step takes two bytes at least
)

// A step is one level of the way to an offset.
type step struct {
	array   bool
	open    bool // a value has begun, or should, and has not ended
	wantKey bool
	index   int
	key     []byte // as it stands in the text, with its quotes
}

// pointer returns the JSON pointer of the value in src that off lies in, taking the text from
// from on. It runs after a fault and not before, over a part of the text that the parser has
// already been through: everything before off is known to be well formed.
func pointer(src []byte, from, off int) string {
	t := trail{src: src}
	for i := from; i < off; {
		i = t.token(i, off)
	}
	t.keyAt(off)
	return t.String()
}

// A trail is the way from the top of a text to the token that was read last.
type trail struct {
	src   []byte
	steps []step
	below int // levels beyond maxSteps, counted only
}

// token reads the token at src[i] and returns the index behind it. A token that reaches beyond
// off is not taken as read.
func (t *trail) token(i, off int) int {
	switch t.src[i] {
	case '{', '[':
		t.push(t.src[i] == '[')
	case '}', ']':
		t.pop()
	case ',':
		if top := t.top(); top != nil {
			top.index++
			top.open, top.wantKey = top.array, !top.array
		}
	case ':':
		if top := t.top(); top != nil {
			top.open = true
		}
	case '"':
		return t.text(i, off)
	case ' ', '\t', '\n', '\r':
	default:
		return t.scalar(i, off)
	}
	return i + 1
}

func (t *trail) top() *step {
	if len(t.steps) == 0 || t.below > 0 {
		return nil
	}
	return &t.steps[len(t.steps)-1]
}

func (t *trail) push(array bool) {
	if len(t.steps) == maxSteps {
		t.below++
		return
	}
	t.steps = append(t.steps, step{array: array, open: array, wantKey: !array})
}

func (t *trail) pop() {
	switch {
	case t.below > 0:
		t.below--
	case len(t.steps) > 0:
		t.steps = t.steps[:len(t.steps)-1]
	}
	t.ended()
}

// ended notes that a value is complete: what follows is no longer in it.
func (t *trail) ended() {
	if top := t.top(); top != nil {
		top.open = false
	}
}

// text reads a string, which is a key where one may begin.
func (t *trail) text(i, off int) int {
	end, f := skipString(t.src, i+1)
	if f.kind != 0 || end > off {
		return off
	}
	if top := t.top(); top != nil && top.wantKey {
		top.key, top.wantKey = t.src[i:end], false
	} else {
		t.ended()
	}
	return end
}

func (t *trail) scalar(i, off int) int {
	end, f := skipScalar(t.src, i)
	if f.kind != 0 || end > off {
		return off
	}
	t.ended()
	return end
}

// keyAt takes the key that starts at off as read, and its value as begun: a key that is refused as
// a whole is named.
func (t *trail) keyAt(off int) {
	if top := t.top(); off < len(t.src) && t.src[off] == '"' && top != nil && top.wantKey {
		if end, f := skipString(t.src, off+1); f.kind == 0 {
			top.key, top.open = t.src[off:end], true
		}
	}
}

// String renders the trail, cut where it would grow beyond maxPointer.
func (t *trail) String() string {
	var b strings.Builder
	for _, s := range t.steps {
		if !s.open {
			break
		}
		name := strconv.Itoa(s.index)
		if !s.array {
			key, ok := unquote(s.key)
			if !ok {
				break
			}
			name = strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		}
		if b.Len()+1+len(name) > maxPointer {
			break
		}
		b.WriteByte('/')
		b.WriteString(name)
	}
	return b.String()
}

// unquote decodes a quoted JSON string.
func unquote(quoted []byte) (string, bool) {
	p := parser{src: quoted}
	if p.text(1, false) != len(quoted) {
		return "", false
	}
	return string(p.out), true
}
