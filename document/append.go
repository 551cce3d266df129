package document

import "go.mongodb.org/mongo-driver/v2/bson"

const (
	// MaxSize is the most bytes that a document may take, its _id included: MongoDB's
	// maxBsonObjectSize.
	MaxSize = 16 * 1024 * 1024
	// MaxDepth is how deep objects and arrays may be nested, the document itself counting as one:
	// MongoDB's limit on nesting.
	MaxDepth = 100
)

// Options changes how text becomes a document. The zero value, and a nil *Options, is plain JSON
// for MongoDB. Options are read and never changed: any number of goroutines may share them.
type Options struct {
	// BigNumbers makes integers beyond int64 a decimal128 of up to 34 significant digits. Without
	// it they are refused, because a double would silently hold another number.
	BigNumbers bool
	// ExtendedJSON reads the type wrappers of MongoDB's Extended JSON v2, canonical and relaxed
	// ($oid, $date, $numberLong, …), and DBRefs ($ref, $id, $db). The forms of version 1, such as
	// $regex or a number in $date, are refused; without ExtendedJSON, so is every key that starts
	// with $.
	ExtendedJSON bool
	// Limits is what the store at hand cannot hold.
	Limits Limits
	// NewID makes the ObjectID of a document that has no _id; nil means bson.NewObjectID.
	NewID func() [12]byte
}

func (o *Options) newID() [12]byte {
	if o.NewID != nil {
		return o.NewID()
	}
	return bson.NewObjectID()
}

var plain Options // what a nil *Options means

// Append parses text, which must be one JSON object with nothing but white space around it, and
// appends it to dst as a BSON document whose first element is _id. It returns the extended buffer
// and the id, whose Value is a view into that buffer.
//
// The document is doc[len(dst):]. Nothing of text is kept. With a buffer that is large enough
// Append does not allocate; it may scribble on the capacity of dst behind the document.
//
// The error is an *[Error]; then doc is dst, in a buffer that may have grown.
func Append(dst, text []byte, opts *Options) (doc []byte, id ID, err error) {
	p := newParser(dst, text, opts)
	defer p.free()
	i := p.document(p.space(0))
	if i >= 0 {
		if i = p.space(i); i < len(text) {
			i = p.syntax(i, "unexpected "+p.quote(i)+" after the document")
		}
	}
	if i < 0 {
		if _, f := skipText(text, 0); p.fault.kind != Syntax && f.kind != 0 {
			p.fault = f // a text that is no JSON is nothing else
		}
		return p.out[:len(dst)], ID{}, p.fault.error(text, 0, new(mark), "")
	}
	return p.out, p.id(), nil
}
