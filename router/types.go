package router

import "bytes"

// paramType is a type that a parameter can be given in a pattern.
type paramType struct {
	name string
	rank int // place among the built-in types, most specific first; registered types have none
	fits func([]byte) bool
}

// registered is the rank of every type that an app adds: none of them comes before another.
const registered = 100

// builtin returns the type of a name that every table knows, or nil.
//
// Every unsigned number is an int too, and 24 digits can be a number as well as an
// ObjectID, hence the order: uint, int, objectid, uuid.
func builtin(name string) *paramType {
	switch name {
	case "uint":
		return &paramType{name, 0, fitsUint}
	case "int":
		return &paramType{name, 1, fitsInt}
	case "objectid":
		return &paramType{name, 2, fitsObjectID}
	case "uuid":
		return &paramType{name, 3, fitsUUID}
	}
	return nil
}

// fitsInt reports whether b is a decimal number, with or without a minus, that an int
// holds. Leading zeros are digits like others; a plus is refused, for in a query it means a space.
func fitsInt(b []byte) bool {
	_, ok := parseInt(b)
	return ok
}

// fitsUint reports whether b is a decimal number, without a sign, that a uint holds.
func fitsUint(b []byte) bool {
	_, ok := parseUint(b, ^uint(0))
	return ok
}

func parseInt(b []byte) (int, bool) {
	const most = ^uint(0) >> 1
	if len(b) > 0 && b[0] == '-' {
		n, ok := parseUint(b[1:], most+1)
		return -int(n), ok
	}
	n, ok := parseUint(b, most)
	return int(n), ok
}

// parseUint reads digits, at least one, up to and including most.
func parseUint(b []byte, most uint) (uint, bool) {
	var n uint
	for _, c := range b {
		d := uint(c - '0')
		if d > 9 || n > (most-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, len(b) > 0
}

// fitsObjectID reports whether b is a MongoDB ObjectID: 24 hex digits of either case.
func fitsObjectID(b []byte) bool {
	return len(b) == 24 && allHex(b)
}

// fitsUUID reports whether b is a UUID as RFC 9562, section 4, writes it, in either case.
func fitsUUID(b []byte) bool {
	return len(b) == 36 &&
		b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-' &&
		allHex(b[:8]) && allHex(b[9:13]) && allHex(b[14:18]) && allHex(b[19:23]) && allHex(b[24:])
}

func allHex(b []byte) bool {
	for _, c := range b {
		if _, ok := unhex(c); !ok {
			return false
		}
	}
	return true
}

// unhex returns the value of a hex digit.
func unhex(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c-'a' <= 5:
		return c - 'a' + 10, true
	case c-'A' <= 5:
		return c - 'A' + 10, true
	}
	return 0, false
}

// isDots reports whether a segment is "." or "..", which a client or a proxy may
// resolve before or after us.
func isDots(seg []byte) bool {
	return len(seg) <= 2 && len(seg) > 0 && seg[0] == '.' && seg[len(seg)-1] == '.'
}

// hasDots reports whether any of the segments of path is "." or "..".
func hasDots(path []byte) bool {
	for {
		i := bytes.IndexByte(path, '/')
		if i < 0 {
			return isDots(path)
		}
		if isDots(path[:i]) {
			return true
		}
		path = path[i+1:]
	}
}
