package resource

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
)

const (
	idField = "_id"

	// maxFieldName bounds a field's path in a query, in bytes.
	maxFieldName = 512
	// maxIn bounds the values of one "in".
	maxIn = 1000
)

// operators maps what a client may write in brackets to what MongoDB is told. It is the only
// way by which an operator gets into a filter.
var operators = map[string]string{
	"eq": "$eq", "ne": "$ne",
	"gt": "$gt", "gte": "$gte",
	"lt": "$lt", "lte": "$lte",
	"in": "$in", "nin": "$nin",
	"exists": "$exists",
}

// filter collects the conditions of a query; all of them must hold.
type filter struct {
	conds [][]byte // each a BSON document {field: {$op: value}}
}

// add takes one parameter, "field" or "field[op]" and its value.
func (f *filter) add(p pair, opts *document.Options) error {
	field, op, err := splitField(p.name)
	if err != nil {
		return err
	}
	start, cond := bsoncore.AppendDocumentStart(nil)
	inner, cond := bsoncore.AppendDocumentElementStart(cond, field)
	switch op {
	case "$in", "$nin":
		vs, err := valuesOf(field, p.value, opts)
		if err != nil {
			return err
		}
		if len(vs) > maxIn {
			return fmt.Errorf("resource: %s lists %d values; the most is %d", quote(p.name), len(vs), maxIn)
		}
		list, c := bsoncore.AppendArrayElementStart(cond, op)
		for i, v := range vs {
			c = v.append(c, strconv.Itoa(i))
		}
		cond, _ = bsoncore.AppendArrayEnd(c, list)
	case "$exists":
		yes, err := strconv.ParseBool(p.value)
		if err != nil || (p.value != "true" && p.value != "false") {
			return fmt.Errorf("resource: %s takes true or false, not %s", quote(p.name), quote(p.value))
		}
		cond = bsoncore.AppendBooleanElement(cond, op, yes)
	default:
		v, err := valueOf(field, p.value, opts)
		if err != nil {
			return err
		}
		cond = v.append(cond, op)
	}
	cond, _ = bsoncore.AppendDocumentEnd(cond, inner)
	cond, _ = bsoncore.AppendDocumentEnd(cond, start)
	f.conds = append(f.conds, cond)
	return nil
}

// doc is the filter as MongoDB takes it.
func (f *filter) doc() []byte {
	switch len(f.conds) {
	case 0:
		return emptyDoc
	case 1:
		return f.conds[0]
	}
	return combine("$and", f.conds)
}

// combine makes {op: [docs…]}.
func combine(op string, docs [][]byte) []byte {
	start, dst := bsoncore.AppendDocumentStart(nil)
	list, dst := bsoncore.AppendArrayElementStart(dst, op)
	for i, d := range docs {
		dst = bsoncore.AppendDocumentElement(dst, strconv.Itoa(i), d)
	}
	dst, _ = bsoncore.AppendArrayEnd(dst, list)
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}

// splitField reads "field" or "field[op]".
func splitField(name string) (field, op string, err error) {
	field, op = name, "$eq"
	if open := strings.LastIndexByte(name, '['); open >= 0 && strings.HasSuffix(name, "]") {
		word := name[open+1 : len(name)-1]
		var known bool
		if op, known = operators[word]; !known {
			return "", "", fmt.Errorf("resource: unknown operator %s in %s; there are eq, ne, gt, gte, lt, lte, in, nin, exists", quote(word), quote(name))
		}
		field = name[:open]
	}
	return field, op, checkField(field)
}

// checkField refuses what MongoDB would read as more than a path: an operator, a positional
// operator, a field that no document can have.
func checkField(field string) error {
	if field == "" || len(field) > maxFieldName || strings.IndexByte(field, 0) >= 0 {
		return fmt.Errorf("resource: %s is no field", quote(field))
	}
	for part := range strings.SplitSeq(field, ".") {
		if part == "" || part[0] == '$' {
			return fmt.Errorf("resource: %s is no field: a part of it is empty or starts with $", quote(field))
		}
	}
	return nil
}

// splitComma yields the parts of a list; an empty text has none.
func splitComma(text string) iter.Seq[string] {
	if text == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(text, ",")
}
