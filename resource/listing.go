package resource

import (
	"fmt"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/document"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
	// maxSortKeys bounds the fields of a sort; MongoDB takes 32.
	maxSortKeys = 8
	maxFields   = 100
)

// listing is a query over a collection, read from the query string of a GET.
type listing struct {
	filter     filter
	sort       []sortKey
	projection []byte // BSON, nil for whole documents
	limit      int
	after      cursor
	count      bool
}

type sortKey struct {
	field string
	desc  bool
}

// parseListing reads a query string. The parameters sort, fields, limit, after and count
// are ours, each at most once; every other is a condition of the filter. A field that has
// one of these names is reached by writing its operator: "limit[eq]=5".
func parseListing(raw string, opts *document.Options) (*listing, error) {
	pairs, err := splitQuery(raw)
	if err != nil {
		return nil, err
	}
	l := &listing{limit: defaultLimit}
	given := map[string]string{}
	for _, p := range pairs {
		switch p.name {
		case "sort", "fields", "limit", "after", "count":
			if _, twice := given[p.name]; twice {
				return nil, fmt.Errorf("resource: %s is given twice", p.name)
			}
			given[p.name] = p.value
		default:
			if err := l.filter.add(p, opts); err != nil {
				return nil, err
			}
		}
	}
	return l, l.configure(given, opts)
}

// configure takes the parameters that are no conditions.
func (l *listing) configure(given map[string]string, opts *document.Options) error {
	var err error
	if l.sort, err = parseSort(given["sort"]); err != nil {
		return err
	}
	if l.projection, err = parseFields(given["fields"], l.sort); err != nil {
		return err
	}
	if s, ok := given["limit"]; ok {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil || n < 1 || n > maxLimit {
			return fmt.Errorf("resource: limit=%s is not a number from 1 to %d", quote(s), maxLimit)
		}
		l.limit = int(n)
	}
	if s, ok := given["count"]; ok {
		if s != "true" && s != "false" {
			return fmt.Errorf("resource: count takes true or false, not %s", quote(s))
		}
		l.count = s == "true"
	}
	if s, ok := given["after"]; ok {
		if l.after, err = decodeCursor(s, l.sort, &opts.Limits); err != nil {
			return err
		}
	}
	return nil
}

// parseSort reads "name,-age": ascending, or descending with a minus. The _id comes last
// unless it is there, so that the order is total.
func parseSort(s string) ([]sortKey, error) {
	var keys []sortKey
	hasID := false
	for part := range splitComma(s) {
		field, desc := strings.CutPrefix(part, "-")
		if err := checkField(field); err != nil {
			return nil, err
		}
		for _, k := range keys {
			if k.field == field {
				return nil, fmt.Errorf("resource: sort names %s twice", quote(field))
			}
		}
		hasID = hasID || field == idField
		if keys = append(keys, sortKey{field, desc}); len(keys) > maxSortKeys {
			return nil, fmt.Errorf("resource: sort names more than %d fields", maxSortKeys)
		}
	}
	if !hasID {
		keys = append(keys, sortKey{field: idField})
	}
	return keys, nil
}

// sortDoc is the sort as MongoDB takes it.
func sortDoc(keys []sortKey) []byte {
	start, dst := bsoncore.AppendDocumentStart(nil)
	for _, k := range keys {
		dir := int32(1)
		if k.desc {
			dir = -1
		}
		dst = bsoncore.AppendInt32Element(dst, k.field, dir)
	}
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst
}

// parseFields reads "name,address.city" or "-photo,-notes" into a projection. The _id and
// the fields of the sort always come along: the next page starts from them.
func parseFields(s string, sort []sortKey) ([]byte, error) {
	if s == "" {
		return nil, nil
	}
	start, dst := bsoncore.AppendDocumentStart(nil)
	var seen []string
	without := s[0] == '-'
	for part := range splitComma(s) {
		field, minus := strings.CutPrefix(part, "-")
		if err := checkField(field); err != nil {
			return nil, err
		}
		if minus != without {
			return nil, fmt.Errorf("resource: fields=%s both takes and leaves out", quote(s))
		}
		if err := checkOverlap(field, seen); err != nil {
			return nil, err
		}
		if without {
			for _, k := range sort {
				if within(k.field, field) || within(field, k.field) {
					return nil, fmt.Errorf("resource: fields leaves out %s, which the sort needs", quote(field))
				}
			}
		}
		if seen = append(seen, field); len(seen) > maxFields {
			return nil, fmt.Errorf("resource: fields names more than %d", maxFields)
		}
		dst = bsoncore.AppendInt32Element(dst, field, include(!without))
	}
	if !without {
		for _, k := range sort {
			if checkOverlap(k.field, seen) == nil {
				dst = bsoncore.AppendInt32Element(dst, k.field, 1)
				seen = append(seen, k.field)
			}
		}
	}
	dst, _ = bsoncore.AppendDocumentEnd(dst, start)
	return dst, nil
}

func include(yes bool) int32 {
	if yes {
		return 1
	}
	return 0
}

// checkOverlap refuses a field that is another, or holds it, or is held by it: MongoDB calls
// that a path collision.
func checkOverlap(field string, seen []string) error {
	for _, s := range seen {
		if within(field, s) || within(s, field) {
			return fmt.Errorf("resource: fields names %s and %s, one within the other", quote(s), quote(field))
		}
	}
	return nil
}

// within says whether the path a is b or lies in it.
func within(a, b string) bool {
	return a == b || (strings.HasPrefix(a, b) && a[len(b)] == '.')
}
