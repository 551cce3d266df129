package resource

import (
	"bytes"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

func TestFilter(t *testing.T) {
	oid, _ := bson.ObjectIDFromHex("65f0a1b2c3d4e5f6a7b8c9d0")
	is := func(op string, v any) bson.D { return bson.D{{Key: op, Value: v}} }
	for _, c := range []struct {
		query string
		want  bson.D
	}{
		{"", bson.D{}},
		{"&&", bson.D{}},
		{"age=5", bson.D{{Key: "age", Value: is("$eq", int32(5))}}},
		{"age=2147483648", bson.D{{Key: "age", Value: is("$eq", int64(2147483648))}}},
		{"age=5.0", bson.D{{Key: "age", Value: is("$eq", 5.0)}}},
		{"age=%225%22", bson.D{{Key: "age", Value: is("$eq", "5")}}},
		{"name=Ann", bson.D{{Key: "name", Value: is("$eq", "Ann")}}},
		{"name=Ann+Lee", bson.D{{Key: "name", Value: is("$eq", "Ann Lee")}}},
		{"name=", bson.D{{Key: "name", Value: is("$eq", "")}}},
		{"name", bson.D{{Key: "name", Value: is("$eq", "")}}},
		{"done=true", bson.D{{Key: "done", Value: is("$eq", true)}}},
		{"done=True", bson.D{{Key: "done", Value: is("$eq", "True")}}},
		{"end=null", bson.D{{Key: "end", Value: is("$eq", nil)}}},
		{"zip=007", bson.D{{Key: "zip", Value: is("$eq", "007")}}},
		{"x=1,2", bson.D{{Key: "x", Value: is("$eq", "1,2")}}},
		{`x=1,"v":2`, bson.D{{Key: "x", Value: is("$eq", `1,"v":2`)}}},
		{`x=1},"y":{"$gt":0`, bson.D{{Key: "x", Value: is("$eq", `1},"y":{"$gt":0`)}}},
		{`a.b={"c":1}`, bson.D{{Key: "a.b", Value: is("$eq", bson.D{{Key: "c", Value: int32(1)}})}}},
		{`tags=["a",2]`, bson.D{{Key: "tags", Value: is("$eq", bson.A{"a", int32(2)})}}},
		{"_id=65f0a1b2c3d4e5f6a7b8c9d0", bson.D{{Key: "_id", Value: is("$eq", oid)}}},
		{"_id[gt]=65f0a1b2c3d4e5f6a7b8c9d0", bson.D{{Key: "_id", Value: is("$gt", oid)}}},
		{"ref=65f0a1b2c3d4e5f6a7b8c9d0", bson.D{{Key: "ref", Value: is("$eq", "65f0a1b2c3d4e5f6a7b8c9d0")}}},
		{"age[gt]=1", bson.D{{Key: "age", Value: is("$gt", int32(1))}}},
		{"age%5Bgte%5D=1", bson.D{{Key: "age", Value: is("$gte", int32(1))}}},
		{"age[lt]=1", bson.D{{Key: "age", Value: is("$lt", int32(1))}}},
		{"age[lte]=1", bson.D{{Key: "age", Value: is("$lte", int32(1))}}},
		{"age[ne]=1", bson.D{{Key: "age", Value: is("$ne", int32(1))}}},
		{"limit[eq]=5", bson.D{{Key: "limit", Value: is("$eq", int32(5))}}},
		{"age[exists]=false", bson.D{{Key: "age", Value: is("$exists", false)}}},
		{"age[in]=1,x,%22y%22", bson.D{{Key: "age", Value: is("$in", bson.A{int32(1), "x", "y"})}}},
		{`age[in]=[1,"a,b"]`, bson.D{{Key: "age", Value: is("$in", bson.A{int32(1), "a,b"})}}},
		{"age[nin]=", bson.D{{Key: "age", Value: is("$nin", bson.A{})}}},
		{`_id[in]=["65f0a1b2c3d4e5f6a7b8c9d0",7]`, bson.D{{Key: "_id", Value: is("$in", bson.A{oid, int32(7)})}}},
		{"a=1&b[gt]=2", bson.D{{Key: "$and", Value: bson.A{
			bson.D{{Key: "a", Value: is("$eq", int32(1))}},
			bson.D{{Key: "b", Value: is("$gt", int32(2))}},
		}}}},
		{"a[gt]=1&a[lt]=5", bson.D{{Key: "$and", Value: bson.A{
			bson.D{{Key: "a", Value: is("$gt", int32(1))}},
			bson.D{{Key: "a", Value: is("$lt", int32(5))}},
		}}}},
	} {
		l, err := parseListing(c.query, new(document.Options))
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if got, want := l.filter.doc(), marshal(t, c.want); !bytes.Equal(got, want) {
			t.Errorf("%s: filter %s, want %s", c.query, bson.Raw(got), want)
		}
	}
}

func TestListingRefuses(t *testing.T) {
	for _, query := range []string{
		"$where=1", "a.$where=1", "$or=[]", "a.$=1", "a[$gt]=1", "a[regex]=x", "a[where]=1", "a[]=1", "a[GT]=1",
		"[gt]=1", "=1", "a..b=1", ".a=1", "a.=1", "a%00=1", "a=%00",
		`a={"$gt":1}`, `a={"b":{"$ne":1}}`, `a[in]=[{"$gt":1}]`, `a=[{"$gt":1}]`, `a={"x":1,"x":2}`,
		"a=1e999", "a=99999999999999999999",
		"a=%", "a=%1", "a=%zz", "%zz=1", "a=%ff", "%ff=1",
		"a[exists]=1", "a[exists]=yes", "a[exists]=TRUE",
		"limit=0", "limit=1001", "limit=-1", "limit=x", "limit=1&limit=2", "limit=", "limit=1e2",
		"count=1", "count=true&count=true", "sort=a,a", "sort=a,-a", "sort=$a", "sort=a,", "sort=,", "sort=a.$b",
		"fields=$a", "fields=a,-b", "fields=a,a", "fields=a,a.b", "fields=a.b,a", "fields=-_id", "fields=-a&sort=a", "fields=-a&sort=a.b",
		"after=x", "after=", "after=" + strings.Repeat("A", maxCursor+1),
		"sort=" + strings.Repeat("a,", 9) + "b",
		strings.Repeat("a=1&", maxPairs+1),
		"a[in]=" + strings.Repeat("1,", maxIn) + "1",
		strings.Repeat("f", maxFieldName+1) + "=1",
	} {
		if l, err := parseListing(query, new(document.Options)); err == nil {
			t.Errorf("%s is taken: filter %s", quote(query), bson.Raw(l.filter.doc()))
		} else if !strings.HasPrefix(err.Error(), "resource: ") {
			t.Errorf("%s: the error does not name its package: %v", quote(query), err)
		}
	}
}

func TestExtendedJSONInAFilter(t *testing.T) {
	opts := &document.Options{ExtendedJSON: true}
	l, err := parseListing(`at[gte]={"$date":"2026-01-01T00:00:00Z"}`, opts)
	if err != nil {
		t.Fatal(err)
	}
	want := marshal(t, bson.D{{Key: "at", Value: bson.D{{Key: "$gte", Value: bson.DateTime(1767225600000)}}}})
	if got := l.filter.doc(); !bytes.Equal(got, want) {
		t.Errorf("filter %s, want %s", bson.Raw(got), want)
	}
	// A regular expression is a pattern within $in, and not a value: no client brings one.
	for _, q := range []string{`a={"$regularExpression":{"pattern":"(a+)+$","options":""}}`, `a[in]=[{"$regularExpression":{"pattern":"x","options":""}}]`, `a={"$gt":1}`} {
		if _, err := parseListing(q, opts); err == nil {
			t.Errorf("%s is taken", q)
		}
	}
}

func TestSortAndFields(t *testing.T) {
	for _, c := range []struct {
		query      string
		sort, proj bson.D
	}{
		{"", bson.D{{Key: "_id", Value: int32(1)}}, nil},
		{"sort=-age,name", bson.D{{Key: "age", Value: int32(-1)}, {Key: "name", Value: int32(1)}, {Key: "_id", Value: int32(1)}}, nil},
		{"sort=-_id", bson.D{{Key: "_id", Value: int32(-1)}}, nil},
		{"fields=name", bson.D{{Key: "_id", Value: int32(1)}}, bson.D{{Key: "name", Value: int32(1)}, {Key: "_id", Value: int32(1)}}},
		{"fields=-photo,-a.b", bson.D{{Key: "_id", Value: int32(1)}}, bson.D{{Key: "photo", Value: int32(0)}, {Key: "a.b", Value: int32(0)}}},
		{"fields=name&sort=age", bson.D{{Key: "age", Value: int32(1)}, {Key: "_id", Value: int32(1)}},
			bson.D{{Key: "name", Value: int32(1)}, {Key: "age", Value: int32(1)}, {Key: "_id", Value: int32(1)}}},
		{"fields=_id", bson.D{{Key: "_id", Value: int32(1)}}, bson.D{{Key: "_id", Value: int32(1)}}},
	} {
		l, err := parseListing(c.query, new(document.Options))
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if got, want := sortDoc(l.sort), marshal(t, c.sort); !bytes.Equal(got, want) {
			t.Errorf("%s: sort %s, want %s", c.query, bson.Raw(got), want)
		}
		if c.proj == nil && l.projection == nil {
			continue
		}
		if want := marshal(t, c.proj); !bytes.Equal(l.projection, want) {
			t.Errorf("%s: projection %s, want %s", c.query, bson.Raw(l.projection), want)
		}
	}
}

// FuzzListing: whatever a client writes, the filter holds no operator but ours, and each of
// ours stands where it belongs.
func FuzzListing(f *testing.F) {
	for _, q := range []string{"a=1&b[in]=1,2&sort=-a&fields=a,b&limit=7&count=true", `a={"b":[1,{"c":null}]}`, "a[exists]=true", "%24where=1", `a={"$gt":""}`, "_id=65f0a1b2c3d4e5f6a7b8c9d0"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		l, err := parseListing(query, new(document.Options))
		if err != nil {
			return
		}
		doc := bson.Raw(l.filter.doc())
		if err := doc.Validate(); err != nil {
			t.Fatalf("the filter of %q is no BSON: %v", query, err)
		}
		elems, _ := doc.Elements()
		if len(elems) == 1 && elems[0].Key() == "$and" {
			conds, _ := elems[0].Value().Array().Values()
			for _, c := range conds {
				checkCondition(t, query, c.Document())
			}
		} else if len(elems) > 0 {
			checkCondition(t, query, doc)
		}
		if l.limit < 1 || l.limit > maxLimit || bson.Raw(sortDoc(l.sort)).Validate() != nil {
			t.Fatalf("%q: limit %d, sort %v", query, l.limit, l.sort)
		}
	})
}

// checkCondition wants {field: {$op: value}} with nothing that starts with $ elsewhere.
func checkCondition(t *testing.T, query string, cond bson.Raw) {
	t.Helper()
	elems, _ := cond.Elements()
	if len(elems) != 1 || strings.Contains("."+elems[0].Key(), ".$") {
		t.Fatalf("%q makes the condition %s", query, cond)
	}
	inner, _ := elems[0].Value().Document().Elements()
	known := false
	for _, op := range operators {
		known = known || op == inner[0].Key()
	}
	if len(inner) != 1 || !known || dollarWithin(inner[0].Value()) {
		t.Fatalf("%q makes the condition %s", query, cond)
	}
}

func dollarWithin(v bson.RawValue) bool {
	var elems []bson.RawElement
	switch v.Type {
	case bson.TypeEmbeddedDocument:
		elems, _ = v.Document().Elements()
	case bson.TypeArray:
		elems, _ = bson.Raw(v.Array()).Elements()
	}
	for _, e := range elems {
		if strings.HasPrefix(e.Key(), "$") || dollarWithin(e.Value()) {
			return true
		}
	}
	return false
}
