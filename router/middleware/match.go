package middleware

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// IfNoneMatch reports whether the request's If-None-Match names tag, or is "*". Weak and strong
// tags are equal if their quoted parts are (RFC 9110, section 13.1.2). It is false without the
// header, and where tag is "": there is nothing yet.
func IfNoneMatch(c *router.Ctx, tag string) bool {
	want := opaque([]byte(tag))
	return tag != "" && anyListed(c.Request.Header.PeekAll(fasthttp.HeaderIfNoneMatch), func(t []byte) bool {
		return isStar(t) || bytes.Equal(opaque(t), want)
	})
}

// IfMatch reports whether the request has an If-Match, and whether that names tag or is "*". A weak
// tag matches nothing but the star (RFC 9110, section 13.1.1). Where tag is "" there is nothing
// yet, and nothing matches.
func IfMatch(c *router.Ctx, tag string) (match, asked bool) {
	headers := c.Request.Header.PeekAll(fasthttp.HeaderIfMatch)
	weak := isWeak([]byte(tag))
	match = tag != "" && anyListed(headers, func(t []byte) bool {
		return isStar(t) || !weak && string(t) == tag
	})
	return match, len(headers) > 0
}

var weakMark = []byte("W/")

func isWeak(tag []byte) bool { return bytes.HasPrefix(tag, weakMark) }

// opaque is a tag without its mark of weakness.
func opaque(tag []byte) []byte { return bytes.TrimPrefix(tag, weakMark) }

func isStar(tag []byte) bool { return len(tag) == 1 && tag[0] == '*' }

// anyListed reports whether one of the tags in the lines of a header fits.
func anyListed(lines [][]byte, fits func(tag []byte) bool) bool {
	for _, list := range lines {
		for tag, rest := nextTag(list); tag != nil; tag, rest = nextTag(rest) {
			if fits(tag) {
				return true
			}
		}
	}
	return false
}

// nextTag cuts the first tag, or a star, off a list. A comma inside the quotes is part of the tag.
// What is no list of tags ends the list: nil.
func nextTag(list []byte) (tag, rest []byte) {
	list = bytes.TrimLeft(list, " \t,")
	if len(list) > 0 && list[0] == '*' {
		return list[:1], list[1:]
	}
	start := 0
	if isWeak(list) {
		start = len(weakMark)
	}
	if len(list) <= start || list[start] != '"' {
		return nil, nil
	}
	length := bytes.IndexByte(list[start+1:], '"')
	if length < 0 {
		return nil, nil
	}
	end := start + length + 2 // both quotes
	return list[:end], list[end:]
}
