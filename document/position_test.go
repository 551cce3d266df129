package document_test

import (
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/document"
)

func TestErrorPosition(t *testing.T) {
	long := strings.Repeat("k", 2000)
	for _, c := range []struct {
		text                 string
		offset, line, column int
		pointer              string
	}{
		{"{\n\"a\":\n\t[1,\n x]}", 13, 4, 2, "/a/1"},
		{"{\r\n\"a\":x}", 7, 2, 5, "/a"},
		{"{\"é\":x}", 6, 1, 7, "/é"},
		{"\n\n\n", 3, 4, 1, ""},
		{`{"a":[{"b":1},{"b":[true,{"c":"\q"}]}]}`, 31, 1, 32, "/a/1/b/1/c"},
		{`{"a":"]}\"[{","b":[[],{},[{}],x]}`, 30, 1, 31, "/b/3"},
		{`{"a":{"b":[1,2]} x`, 17, 1, 18, ""},
		{`{"a":{"b":[1,2 x`, 15, 1, 16, "/a/b"},
		{`{"a":1,"b"x`, 10, 1, 11, ""},
		{`{"a":{"~/":{"":x`, 15, 1, 16, "/a/~0~1/"},
		{`{"\u0061\n":x`, 12, 1, 13, "/a\n"},
		// A pointer that would be too long names what it can.
		{`{"a":{"` + long + `":{"b":x`, 2014, 1, 2015, "/a"},
		{`{"a":` + strings.Repeat("[", 5000) + "x", 5005, 1, 5006, "/a" + strings.Repeat("/0", 511)},
		{`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 4999) + "x", 10004, 1, 10005, "/a"},
	} {
		_, _, err := document.Append(nil, []byte(c.text), nil)
		e, ok := err.(*document.Error)
		if !ok || e.Offset != c.offset || e.Line != c.line || e.Column != c.column || e.Pointer != c.pointer {
			t.Errorf("%s: %v\nwant line %d, column %d, offset %d, %q", clip(c.text), err, c.line, c.column, c.offset, c.pointer)
		}
	}
}

func TestErrorMessageIsShort(t *testing.T) {
	key := strings.Repeat("k", 1<<20)
	for _, text := range []string{`{"` + key + `":1,"` + key + `":2}`, `{"$` + key + `":1}`, `{"a":` + strings.Repeat("1", 1<<20) + `}`} {
		_, _, err := document.Append(nil, []byte(text), nil)
		if err == nil || len(err.Error()) > 500 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	}
}
