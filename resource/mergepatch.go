package resource

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// maxMergeDepth bounds the nesting that a merge walks. MongoDB stores 100 levels, and the
// patch has passed the same limit.
const maxMergeDepth = 128

// appendMerged appends to dst the document that comes of applying a JSON Merge Patch (RFC
// 7396) to target, both BSON documents: a null removes, a document merges, anything else
// replaces. Members of the target keep their places; new ones follow in the patch's order.
// It is not the driver's business whether the result fits: the caller looks at its size.
func appendMerged(dst []byte, target, patch bson.Raw) ([]byte, error) {
	return mergeDocs(dst, target, patch, maxMergeDepth)
}

func mergeDocs(dst []byte, target, patch bson.Raw, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, fmt.Errorf("resource: merge patch: nested deeper than %d", maxMergeDepth)
	}
	theirs, err := patch.Elements()
	if err != nil {
		return dst, fmt.Errorf("resource: merge patch: %w", err)
	}
	ours, err := target.Elements()
	if err != nil {
		return dst, fmt.Errorf("resource: merge patch: %w", err)
	}
	// By a map, since both sides may have hundred thousands of members.
	byKey := make(map[string]int, len(theirs))
	for i, e := range theirs {
		byKey[e.Key()] = i
	}
	start, dst := bsoncore.AppendDocumentStart(dst)
	known := make([]bool, len(theirs))
	for _, e := range ours {
		i, ok := byKey[e.Key()]
		if !ok {
			dst = append(dst, e...)
			continue
		}
		known[i] = true
		if dst, err = mergeValue(dst, e.Key(), e.Value(), theirs[i].Value(), depth); err != nil {
			return dst, err
		}
	}
	for i, e := range theirs {
		if known[i] {
			continue
		}
		if dst, err = mergeValue(dst, e.Key(), bson.RawValue{}, e.Value(), depth); err != nil {
			return dst, err
		}
	}
	return bsoncore.AppendDocumentEnd(dst, start)
}

// mergeValue appends what becomes of one member. Where the patch has a document and the target
// none, the patch is merged into an empty document: that drops the nulls in it.
func mergeValue(dst []byte, key string, old, patch bson.RawValue, depth int) ([]byte, error) {
	switch patch.Type {
	case bson.TypeNull:
		return dst, nil
	case bson.TypeEmbeddedDocument:
		target := emptyDoc
		if old.Type == bson.TypeEmbeddedDocument {
			target = old.Document()
		}
		dst = bsoncore.AppendHeader(dst, bsoncore.TypeEmbeddedDocument, key)
		return mergeDocs(dst, target, patch.Document(), depth-1)
	}
	dst = bsoncore.AppendHeader(dst, bsoncore.Type(patch.Type), key)
	return append(dst, patch.Value...), nil
}

// emptyDoc is the BSON document {}.
var emptyDoc = bson.Raw{5, 0, 0, 0, 0}
