package store

import "strings"

// idIndex is the name of the index that every collection has on _id.
const idIndex = "_id_"

// onID says whether a duplicate-key error is about _id, and whether the server
// told. MongoDB 4.4 and newer give the index's key pattern. Older ones only name
// the index in the message:
//
//	E11000 duplicate key error collection: test.c index: _id_ dup key: { _id: 1 }
//	E11000 duplicate key error index: test.c.$_id_ dup key: { : 1 }
//
// The duplicated value stands in there too and is whatever a client sent, so the
// name is read from where the server puts it, behind the namespace, and is never
// searched for. FerretDB tells neither.
func onID(e writeError, ns string) (yes, known bool) {
	if pattern, ok := e.raw.Lookup("keyPattern").DocumentOK(); ok {
		elems, err := pattern.Elements()
		return err == nil && len(elems) == 1 && elems[0].Key() == "_id", err == nil
	}
	index, ok := indexName(e.message, ns)
	return index == idIndex, ok
}

func indexName(message, ns string) (string, bool) {
	const start = "E11000 duplicate key error "
	for _, before := range []string{start + "collection: " + ns + " index: ", start + "index: " + ns + ".$"} {
		rest, ok := strings.CutPrefix(message, before)
		if !ok {
			continue
		}
		// An index's name may hold anything, spaces included, but the server wrote
		// "dup key" before any value.
		if name, _, ok := strings.Cut(rest, " dup key"); ok {
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}
