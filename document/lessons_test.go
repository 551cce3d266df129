package document_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// Faults that other software shipped, each with the behaviour that is right.

func TestLesson23_MillionsOfBracketsAreRefused(t *testing.T) {
	const n = 4 << 20
	brackets := strings.Repeat("[", n)
	objects := strings.Repeat(`{"a":`, n/4)
	for name, c := range map[string]struct {
		text string
		kind document.Kind
	}{
		"arrays, open":    {`{"a":` + brackets, syntax},
		"arrays, closed":  {`{"a":` + brackets + strings.Repeat("]", n) + `}`, unfit},
		"arrays alone":    {brackets, syntax},
		"objects, open":   {objects, syntax},
		"objects, closed": {objects + "1" + strings.Repeat("}", n/4), unfit},
		"mixed":           {strings.Repeat(`{"a":[`, n/8) + strings.Repeat("]}", n/8), unfit},
		"wrappers":        {`{"a":` + strings.Repeat(`{"$scope":`, n/8), syntax},
		"binaries":        {`{"a":` + strings.Repeat(`{"$binary":{"base64":`, n/16), syntax},
	} {
		_, _, err := document.Append(nil, []byte(c.text), &document.Options{ExtendedJSON: true})
		if kindOf(t, err) != c.kind {
			t.Errorf("%s: %v, want kind %v", name, err, c.kind)
		}
	}
}

// The limit counts arrays as it counts objects.
func TestLesson23_DepthCountsArrays(t *testing.T) {
	for depth := 99; depth <= 101; depth++ {
		text := `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
		_, _, err := document.Append(nil, []byte(text), nil)
		if ok := depth <= document.MaxDepth; ok != (err == nil) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestLesson24_NULInKeyIsRefused(t *testing.T) {
	for _, text := range []string{`{"a\u0000b":1}`, `{"\u0000":1}`, `{"a":{"b\u0000":1}}`, `{"a":[{"\u0000c":1}]}`} {
		if _, _, err := document.Append(nil, []byte(text), nil); kindOf(t, err) != unfit {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLesson25_EmptyKeyIsNoEnd(t *testing.T) {
	doc, _, err := document.Append(nil, []byte(`{"a":1,"":2,"c":3}`), fixed(document.Options{}))
	want := mustMarshal(t, withID(bson.D{{Key: "a", Value: int32(1)}, {Key: "", Value: int32(2)}, {Key: "c", Value: int32(3)}}))
	if err != nil || !bytes.Equal(doc, want) {
		t.Errorf("got %x, %v; want %x", doc, err, want)
	}
}

func TestLesson25_NumbersAreWholeNumbers(t *testing.T) {
	for _, n := range []string{"-", "1.", "01", "1-2", "1.2.3", "-01", "1e", "1e+", ".1", "+1", "1.e1", "0x1"} {
		for _, text := range []string{`{"a":` + n + `}`, `{"a":[` + n + `]}`, `{"$":1,"a":` + n + `}`} {
			if _, _, err := document.Append(nil, []byte(text), nil); kindOf(t, err) != syntax {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	doc, _, err := document.Append(nil, []byte(`{"a":1e3,"b":5000000000}`), fixed(document.Options{}))
	want := mustMarshal(t, withID(bson.D{{Key: "a", Value: 1000.0}, {Key: "b", Value: int64(5000000000)}}))
	if err != nil || !bytes.Equal(doc, want) {
		t.Errorf("got %x, %v; want %x", doc, err, want)
	}
}

func TestLesson26_NothingIsIgnoredOrReplaced(t *testing.T) {
	for text, kind := range map[string]document.Kind{
		`{"a":1} x`:                   syntax,
		`{"a":1}{"b":2}`:              syntax,
		`null`:                        unfit,
		"{\"a\":\"x\ny\"}":            syntax,
		`{"a":"\uD800"}`:              unfit,
		`{"a":9223372036854775808}`:   unfit,
		"{\"a\":\"\xff\"}":            syntax,
		"\ufeff{\"a\":1}":             syntax,
		`{"a":123456789012345678901}`: unfit,
	} {
		if _, _, err := document.Append(nil, []byte(text), nil); kindOf(t, err) != kind {
			t.Errorf("%s: %v, want kind %v", text, err, kind)
		}
	}
}

func TestLesson27_PlainJSONMakesNoTypes(t *testing.T) {
	for _, text := range []string{`{"$oid":"57e193d7a9cc81b4027498b5"}`, `{"$date":0}`, `{"\u0024oid":"57e193d7a9cc81b4027498b5"}`, `{"$numberLong":"1"}`} {
		for _, whole := range []string{text, `{"a":` + text + `}`, `{"_id":` + text + `}`, `{"a":[` + text + `]}`} {
			if _, _, err := document.Append(nil, []byte(whole), nil); kindOf(t, err) != unfit {
				t.Errorf("%s: %v", whole, err)
			}
		}
	}
}

// Every number of keys around the changes of method finds the duplicate of every key.
func TestLesson28_DuplicateKeysAreFound(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 34, 63, 64, 65, 127, 128, 129, 1000} {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"key %d":{"key %d":[{"x":1,"y":2}],"z":3}`, i, i))
		}
		if _, _, err := document.Append(nil, []byte("{"+strings.Join(members, ",")+"}"), nil); err != nil {
			t.Fatalf("%d keys: %v", n, err)
		}
		for i := 0; i < n; i += 1 + n/20 {
			text := fmt.Sprintf(`{%s,"key %d":1}`, strings.Join(members, ","), i)
			_, _, err := document.Append(nil, []byte(text), nil)
			if kindOf(t, err) != unfit || !strings.Contains(err.Error(), fmt.Sprintf(`duplicate key "key %d"`, i)) {
				t.Fatalf("%d keys, twice %d: %v", n, i, err)
			}
		}
	}
}

// A large object inside a large object has a table of its own, and the outer one goes on with its.
func TestLesson28_DuplicateKeysInNestedLargeObjects(t *testing.T) {
	large := func(depth int, tail string) string {
		text := ""
		for range depth {
			var b strings.Builder
			for i := range 100 {
				fmt.Fprintf(&b, `"k%d":%d,`, i, i)
			}
			if text != "" {
				fmt.Fprintf(&b, `"inner":%s,`, text)
			}
			for i := 100; i < 200; i++ {
				fmt.Fprintf(&b, `"k%d":%d,`, i, i)
			}
			text = "{" + b.String() + tail + "}"
		}
		return text
	}
	if _, _, err := document.Append(nil, []byte(large(5, `"end":1`)), nil); err != nil {
		t.Error(err)
	}
	for _, key := range []string{"k0", "k99", "k100", "k199"} {
		if _, _, err := document.Append(nil, []byte(large(5, `"`+key+`":1`)), nil); kindOf(t, err) != unfit {
			t.Errorf("%s twice: %v", key, err)
		}
	}
}

// Keys made to collide under the quick comparison: same ends, same length. A million of them take
// no longer than others, because the quick comparison ends at a few dozen keys.
func TestLesson28_CollidingKeysAreNotSlow(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range 200_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"12345678%08d12345678":1`, i)
	}
	b.WriteByte('}')
	if _, _, err := document.Append(nil, b.Bytes(), nil); err != nil {
		t.Error(err)
	}
}

// No body makes memory grow beyond a small multiple of its size. What is counted is everything that
// was ever allocated, the outgrown buffers included, which is about twice what there is at any time;
// the most is 17.3 times the body, for a million short keys with no scratch memory to reuse.
func TestMemoryIsBounded(t *testing.T) {
	const size = 8 << 20
	var keys bytes.Buffer
	for i := 0; keys.Len() < size; i++ {
		fmt.Fprintf(&keys, `"%x":1,`, i)
	}
	for name, text := range map[string]string{
		"numbers":  `{"a":[` + strings.Repeat("1,", size/2) + `1]}`,
		"brackets": strings.Repeat("[", size),
		"string":   `{"a":"` + strings.Repeat("x", size) + `"}`,
		"keys":     "{" + keys.String() + `"x":1}`,
		"digits":   `{"a":` + strings.Repeat("1", size) + `}`,
		"spaces":   strings.Repeat(" ", size) + `{}`,
	} {
		var before, after runtime.MemStats
		body := []byte(text)
		runtime.ReadMemStats(&before)
		_, _, err := document.Append(nil, body, nil)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 20*size {
			t.Errorf("%s: %d bytes allocated for %d: %v", name, grown, len(body), err)
		}
	}
}
