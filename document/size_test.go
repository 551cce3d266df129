package document_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/document"
)

// The limit is exact, with whatever _id the document ends up with.
func TestMaxSize(t *testing.T) {
	for _, c := range []struct {
		name        string
		front, back string
		frame       int // bytes of BSON around the string's own
	}{
		{"generated id", `{"a":"`, `"}`, 4 + 17 + 3 + 4 + 1 + 1},
		{"id first", `{"_id":1,"a":"`, `"}`, 4 + 9 + 3 + 4 + 1 + 1},
		{"id last", `{"a":"`, `","_id":1}`, 4 + 9 + 3 + 4 + 1 + 1},
		{"long id", `{"b":1,"_id":"`, `"}`, 4 + 7 + 5 + 4 + 1 + 1},
		{"nested", `{"a":{"b":["`, `"]}}`, 4 + 17 + 3 + 4 + 3 + 4 + 3 + 4 + 1 + 1 + 1 + 1},
	} {
		for _, over := range []int{0, 1} {
			text := c.front + strings.Repeat("x", document.MaxSize-c.frame+over) + c.back
			doc, _, err := document.Append(nil, []byte(text), nil)
			if over <= 0 && (err != nil || len(doc) != document.MaxSize+over) {
				t.Errorf("%s, %d bytes over: %d bytes, %v", c.name, over, len(doc), err)
			}
			if over > 0 && kindOf(t, err) != tooLarge {
				t.Errorf("%s, %d bytes over: %v", c.name, over, err)
			}
		}
	}
}

// BSON is larger than JSON where arrays hold small numbers.
func TestMaxSizeOfArray(t *testing.T) {
	body := []byte(`{"a":[` + strings.Repeat("0,", 2<<20) + `0]}`)
	if _, _, err := document.Append(nil, body, nil); kindOf(t, err) != tooLarge {
		t.Error(err)
	}
	// A text that is no JSON is nothing else, however large.
	if _, _, err := document.Append(nil, body[:len(body)-1], nil); kindOf(t, err) != syntax {
		t.Error(err)
	}
}

// The verdict does not depend on the buffer that the caller happens to have.
func TestMaxSizeInAnyBuffer(t *testing.T) {
	body := []byte(`{"a":[` + strings.Repeat("0,", 2<<20) + `0]}`)
	_, _, first := document.Append(nil, body, nil)
	_, _, second := document.Append(make([]byte, 100, 64<<20), body, nil)
	if first.Error() != second.Error() {
		t.Errorf("%v\n%v", first, second)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 1<<20)
	var many bytes.Buffer
	for i := range 1000 {
		many.WriteString(`"` + strings.Repeat("k", i+1) + `":1,`)
	}
	texts := map[string][]byte{
		"late id":   []byte(`{"a":[1,2.5,1.7976931348623157e308,123456789.123456789012],"b":"\u00e9\ud83d\ude00","_id":"a long one, longer than an ObjectID"}`),
		"many keys": []byte(`{` + many.String() + `"x":{` + many.String() + `"y":1}}`),
	}
	for _, name := range samples {
		texts[name] = sample(t, name)
	}
	for name, text := range texts {
		allocs := testing.AllocsPerRun(100, func() {
			if _, _, err := document.Append(buf, text, nil); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 0 && !raceEnabled {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
