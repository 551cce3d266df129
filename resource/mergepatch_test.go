package resource

import (
	"bytes"
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// TestMergePatch_RFC7396AppendixA takes the cases of the RFC's appendix whose target and patch
// are objects; the others can be no document, and are refused before a merge.
func TestMergePatch_RFC7396AppendixA(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		// Beyond the appendix: places are kept, arrays keep their nulls, a scalar gives way.
		{`{"a":1,"b":2,"c":3}`, `{"c":30,"a":10,"d":4}`, `{"a":10,"b":2,"c":30,"d":4}`},
		{`{"a":1}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{"b":null}]}`},
		{`{"a":1}`, `{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`},
		{`{"a":{"x":{"y":1,"z":2}}}`, `{"a":{"x":{"y":null}}}`, `{"a":{"x":{"z":2}}}`},
	} {
		got, err := appendMerged(nil, fromJSON(t, c.target), fromJSON(t, c.patch))
		if err != nil {
			t.Errorf("%s + %s: %v", c.target, c.patch, err)
			continue
		}
		if want := fromJSON(t, c.want); !bytes.Equal(got, want) {
			t.Errorf("%s + %s = %s, want %s", c.target, c.patch, bson.Raw(got), want)
		}
	}
}

func TestMergePatch_ManyMembersTakeLinearTime(t *testing.T) {
	var target, patch, want bson.D
	for i := range 20_000 {
		key := fmt.Sprintf("k%d", i)
		target = append(target, bson.E{Key: key, Value: int32(i)})
		if i%2 == 0 {
			patch = append(patch, bson.E{Key: key, Value: nil})
		} else {
			want = append(want, bson.E{Key: key, Value: int32(i)})
		}
	}
	got, err := appendMerged(nil, marshal(t, target), marshal(t, patch))
	if err != nil || !bytes.Equal(got, marshal(t, want)) {
		t.Errorf("the merge of 20,000 members went wrong (error %v)", err)
	}
}

func TestMergePatch_DepthIsBounded(t *testing.T) {
	deep := bson.D{{Key: "a", Value: int32(1)}}
	for range maxMergeDepth {
		deep = bson.D{{Key: "a", Value: deep}}
	}
	if _, err := appendMerged(nil, emptyDoc, marshal(t, deep)); err == nil {
		t.Error("a patch deeper than the limit was merged")
	}
}

func fromJSON(t *testing.T, text string) bson.Raw {
	t.Helper()
	var d bson.D
	if err := bson.UnmarshalExtJSON([]byte(text), false, &d); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return marshal(t, d)
}

func marshal(t *testing.T, v any) bson.Raw {
	t.Helper()
	if d, ok := v.(bson.D); ok && d == nil {
		v = bson.D{}
	}
	b, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
