package resource

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
)

// etagLen is the length of our entity tags: 16 bytes of a hash in base64url, and two quotes.
const etagLen = 24

// etag is the strong entity tag (RFC 9110 section 8.8.3) of a document: a hash over its BSON
// as the store returned it. Two documents share a tag only if they are the same, byte by byte.
func etag(doc []byte) [etagLen]byte {
	sum := sha256.Sum256(doc)
	var tag [etagLen]byte
	tag[0], tag[etagLen-1] = '"', '"'
	base64.RawURLEncoding.Encode(tag[1:], sum[:16])
	return tag
}

// matchesStrong evaluates If-Match (RFC 9110 section 13.1.1) for a document that exists: "*",
// or a list that holds its tag; a weak tag never matches.
func matchesStrong(header, doc []byte) bool { return matches(header, doc, false) }

// matchesWeak evaluates If-None-Match (section 13.1.2), in which W/ makes no difference.
func matchesWeak(header, doc []byte) bool { return matches(header, doc, true) }

func matches(header, doc []byte, weak bool) bool {
	header = trimSpace(header)
	if bytes.Equal(header, []byte{'*'}) {
		return true
	}
	own := etag(doc)
	for len(header) > 0 {
		var item []byte
		item, header = cutTag(header)
		if weak {
			item = bytes.TrimPrefix(item, []byte("W/"))
		}
		if bytes.Equal(item, own[:]) {
			return true
		}
	}
	return false
}

// cutTag takes the first tag off a list of them. A tag holds no escapes: a backslash in it
// is a character like any other, and a comma within the quotes is as well.
func cutTag(list []byte) (tag, rest []byte) {
	open := bytes.IndexByte(list, '"')
	comma := bytes.IndexByte(list, ',')
	if open < 0 || (comma >= 0 && comma < open) {
		if comma < 0 {
			return trimSpace(list), nil
		}
		return trimSpace(list[:comma]), list[comma+1:]
	}
	end := bytes.IndexByte(list[open+1:], '"')
	if end < 0 {
		return trimSpace(list), nil
	}
	end += open + 2
	tag, rest = trimSpace(list[:end]), list[end:]
	if comma = bytes.IndexByte(rest, ','); comma < 0 {
		return tag, nil
	}
	return tag, rest[comma+1:]
}
