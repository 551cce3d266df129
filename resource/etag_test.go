package resource

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestETagMatching(t *testing.T) {
	doc, err := bson.Marshal(bson.D{{Key: "_id", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	tag := etag(doc)
	own := string(tag[:])
	for _, c := range []struct {
		header       string
		strong, weak bool
	}{
		{own, true, true},
		{" " + own + "\t", true, true},
		{"*", true, true},
		{"W/" + own, false, true},
		{`"other", ` + own, true, true},
		{`"a,b",` + own, true, true},
		{`"a\",` + own, true, true}, // a backslash escapes nothing in a tag
		{`"other"`, false, false},
		{own[1 : len(own)-1], false, false}, // no quotes, no tag
		{`"` + own, false, false},
		{`""`, false, false},
		{"", false, false},
		{`*, "x"`, false, false},
	} {
		if got := matchesStrong([]byte(c.header), doc); got != c.strong {
			t.Errorf("If-Match: %s: %v, want %v", c.header, got, c.strong)
		}
		if got := matchesWeak([]byte(c.header), doc); got != c.weak {
			t.Errorf("If-None-Match: %s: %v, want %v", c.header, got, c.weak)
		}
	}
}

func TestETagDiffersByEveryByte(t *testing.T) {
	doc := []byte("\x0c\x00\x00\x00\x10a\x00\x01\x00\x00\x00\x00")
	seen := map[[etagLen]byte]int{etag(doc): -1}
	for i := range doc {
		changed := append([]byte(nil), doc...)
		changed[i] ^= 1
		if at, ok := seen[etag(changed)]; ok {
			t.Errorf("a change of byte %d and of byte %d give one tag", i, at)
		}
		seen[etag(changed)] = i
	}
}
