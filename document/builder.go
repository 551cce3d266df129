package document

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A Builder puts a document together from parts: a generated _id, fields of the app's own, and
// values that arrive as JSON text. It writes into the caller's buffer and allocates nothing once
// that has grown.
//
//	b := document.Build(buf[:0], nil)
//	b.String("user", user)
//	b.JSON("answers", body)
//	doc, id, err := b.End()
//
// The first error sticks; End returns it. Keys are the app's own: they are not checked for
// duplicates, dots, a leading $ or _id, only for a NUL, which would be another document.
type Builder struct {
	out   []byte
	start int
	opts  *Options
	err   error
}

// Build starts a document at the end of dst. opts is for [Builder.JSON]; nil is plain JSON.
func Build(dst []byte, opts *Options) Builder {
	if opts == nil {
		opts = &plain
	}
	b := Builder{out: dst, start: len(dst), opts: opts}
	id := opts.newID()
	b.out = append(b.out, 0, 0, 0, 0, byte(bson.TypeObjectID), '_', 'i', 'd', 0)
	b.out = append(b.out, id[:]...)
	return b
}

// String adds a string, which must be UTF-8.
func (b *Builder) String(key, value string) {
	if !utf8.ValidString(value) {
		b.fail(fmt.Errorf("document: value of %q is not UTF-8: %s", key, clip([]byte(value))))
		return
	}
	b.element(bson.TypeString, key)
	b.out = binary.LittleEndian.AppendUint32(b.out, uint32(len(value)+1))
	b.out = append(append(b.out, value...), 0)
}

// Int adds an integer, as an int32 if it fits and as an int64 if not, as [Append] does.
func (b *Builder) Int(key string, value int64) {
	if int64(int32(value)) == value {
		b.element(bson.TypeInt32, key)
		b.out = binary.LittleEndian.AppendUint32(b.out, uint32(value))
		return
	}
	b.element(bson.TypeInt64, key)
	b.out = binary.LittleEndian.AppendUint64(b.out, uint64(value))
}

// Time adds a date, of which BSON keeps milliseconds.
func (b *Builder) Time(key string, value time.Time) {
	b.element(bson.TypeDateTime, key)
	b.out = binary.LittleEndian.AppendUint64(b.out, uint64(value.UnixMilli()))
}

// JSON adds the value that text holds: an object, an array or a scalar, by the rules of [Append];
// an _id inside it is a key like any other. The document around it counts as one level of depth.
func (b *Builder) JSON(key string, text []byte) {
	slot := len(b.out)
	if b.element(0, key); b.err != nil {
		return
	}
	p := newParser(b.out, text, b.opts)
	defer p.free()
	p.start, p.depth = b.start, 1
	i := p.value(p.space(0), slot)
	if i >= 0 {
		if i = p.space(i); i < len(text) {
			i = p.syntax(i, "unexpected "+p.quote(i)+" after the value")
		}
	}
	b.out = p.out
	if i < 0 {
		if _, f := skipText(text, 0); p.fault.kind != Syntax && f.kind != 0 {
			p.fault = f
		}
		b.err = p.fault.error(text, 0, new(mark), "")
	}
}

func (b *Builder) element(t bson.Type, key string) {
	if strings.IndexByte(key, 0) >= 0 {
		b.fail(fmt.Errorf("document: key %s contains a NUL", clip([]byte(key))))
	}
	b.out = append(append(append(b.out, byte(t)), key...), 0)
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// End completes the document. It returns the extended buffer and the generated id as [Append]
// does; after an error, the buffer without the document. An error of [Builder.JSON] is an *[Error]
// whose position counts from the start of that text, and so is a document over [MaxSize].
func (b *Builder) End() (doc []byte, id ID, err error) {
	if b.err == nil && len(b.out)+1-b.start > MaxSize {
		b.err = &Error{Kind: TooLarge, Line: 1, Column: 1, Msg: "the document exceeds 16 MiB of BSON"}
	}
	if b.err != nil {
		return b.out[:b.start], ID{}, b.err
	}
	b.out = append(b.out, 0)
	binary.LittleEndian.PutUint32(b.out[b.start:], uint32(len(b.out)-b.start))
	at := b.start + 4 + 5
	return b.out, ID{Type: bson.TypeObjectID, Value: b.out[at : at+12 : at+12], Generated: true}, nil
}
