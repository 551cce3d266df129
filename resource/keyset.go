package resource

import (
	"math"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// brackets are the types in the order in which MongoDB sorts values of different types, each
// by the name that $type knows. A comparison ($gt, $lt) stays within one bracket, so a page
// that starts after a number has to ask for the higher brackets by their names.
var brackets = []string{"null", "number", "string", "object", "binData", "objectId", "bool", "date", "timestamp", "regex"}

// bracketOf is the place of a type in brackets, or -1 for one that no page starts after.
func bracketOf(t bsoncore.Type) int {
	switch t {
	case bsoncore.TypeNull:
		return 0
	case bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDouble, bsoncore.TypeDecimal128:
		return 1
	case bsoncore.TypeString:
		return 2
	case bsoncore.TypeEmbeddedDocument:
		return 3
	case bsoncore.TypeBinary:
		return 4
	case bsoncore.TypeObjectID:
		return 5
	case bsoncore.TypeBoolean:
		return 6
	case bsoncore.TypeDateTime:
		return 7
	case bsoncore.TypeTimestamp:
		return 8
	}
	return -1
}

// keyable says whether a page can start after v: its type has a bracket, and it is no NaN,
// which is neither less nor greater than anything. A document's own fields could be taken
// for operators, so documents do not count either.
func keyable(v value) bool {
	switch v.typ {
	case bsoncore.TypeEmbeddedDocument:
		return false
	case bsoncore.TypeDouble:
		f, _, ok := bsoncore.ReadDouble(v.data)
		return ok && !math.IsNaN(f)
	case bsoncore.TypeDecimal128:
		h, l, _, ok := bsoncore.ReadDecimal128(v.data)
		return ok && !bson.NewDecimal128(h, l).IsNaN()
	}
	return bracketOf(v.typ) >= 0
}

// afterDoc is the condition "sorts after a document with these values":
//
//	k1 after v1, or k1 = v1 and k2 after v2, or k1 = v1 and k2 = v2 and k3 after v3, …
//
// It returns nil where nothing can come after.
func afterDoc(sort []sortKey, values []value) []byte {
	var ways [][]byte
	var equal [][]byte
	for i, k := range sort {
		if later := afterValue(k, values[i]); later != nil {
			ways = append(ways, combineOne("$and", append(equal[:len(equal):len(equal)], later)))
		}
		equal = append(equal, compare(k.field, "$eq", values[i]))
	}
	if len(ways) == 0 {
		return nil
	}
	return combineOne("$or", ways)
}

// afterValue is the condition "this field sorts after v": greater within the bracket, or in
// a later bracket. A missing field sorts as null and equals null, so {$eq: null} finds both.
func afterValue(k sortKey, v value) []byte {
	at := bracketOf(v.typ)
	var ways [][]byte
	if k.desc {
		if at > 0 {
			ways = append(ways, compare(k.field, "$lt", v), compare(k.field, "$eq", value{typ: bsoncore.TypeNull}))
		}
		if at > 1 {
			ways = append(ways, ofTypes(k.field, brackets[1:at]))
		}
	} else {
		if at > 0 {
			ways = append(ways, compare(k.field, "$gt", v))
		}
		ways = append(ways, ofTypes(k.field, brackets[at+1:]))
	}
	if len(ways) == 0 {
		return nil
	}
	return combineOne("$or", ways)
}

// combineOne is combine, but leaves a single document alone.
func combineOne(op string, docs [][]byte) []byte {
	if len(docs) == 1 {
		return docs[0]
	}
	return combine(op, docs)
}

// compare is {field: {op: v}}.
func compare(field, op string, v value) []byte {
	start, dst := bsoncore.AppendDocumentStart(nil)
	inner, dst := bsoncore.AppendDocumentElementStart(dst, field)
	dst = v.append(dst, op)
	dst, _ = bsoncore.AppendDocumentEnd(dst, inner)
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}

// ofTypes is {field: {$type: [names…]}}.
func ofTypes(field string, names []string) []byte {
	start, dst := bsoncore.AppendDocumentStart(nil)
	inner, dst := bsoncore.AppendDocumentElementStart(dst, field)
	list, dst := bsoncore.AppendArrayElementStart(dst, "$type")
	for i, n := range names {
		dst = bsoncore.AppendStringElement(dst, strconv.Itoa(i), n)
	}
	dst, _ = bsoncore.AppendArrayEnd(dst, list)
	dst, _ = bsoncore.AppendDocumentEnd(dst, inner)
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}
