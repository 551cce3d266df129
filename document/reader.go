package document

import (
	"bytes"
	"io"
	"strconv"
)

// A Reader takes the documents of a body one by one: the elements of a JSON array, or the lines of
// NDJSON. It holds nothing but its place in the body. The body must not change while it is read.
//
// An [Unfit] or [TooLarge] document is skipped: Next reports it and goes on with the following one.
// So is a line of NDJSON that is no JSON. In an array a [Syntax] error is final, because nobody can
// say where the next element would start.
type Reader struct {
	body  []byte
	opts  *Options
	pos   int // what follows the document that was read last
	index int
	last  mark
	lines bool
	done  error
}

// NewArray returns a reader over the elements of a JSON array.
func NewArray(body []byte, opts *Options) Reader {
	return Reader{body: body, opts: opts, index: -1}
}

// NewLines returns a reader over the lines of NDJSON. Blank lines are passed over; a line may end
// in CR LF, the last one in nothing.
func NewLines(body []byte, opts *Options) Reader {
	return Reader{body: body, opts: opts, index: -1, lines: true}
}

// Next parses the next document and appends it to dst, as [Append] does. After the last document it
// returns io.EOF; every other error is an *[Error] whose position counts from the start of the body
// (its Pointer, in NDJSON, from the line's document). After a final error Next repeats it.
func (r *Reader) Next(dst []byte) (doc []byte, id ID, err error) {
	if r.done != nil {
		return dst, ID{}, r.done
	}
	if r.lines {
		return r.nextLine(dst)
	}
	return r.nextElement(dst)
}

// Index is the position of the document that Next returned or refused last, counted from 0. Blank
// lines do not count.
func (r *Reader) Index() int { return r.index }

// Line is the line on which that document starts, counted from 1.
func (r *Reader) Line() int { return r.last.line + 1 }

func (r *Reader) nextElement(dst []byte) ([]byte, ID, error) {
	i, f := r.element()
	if f.kind == 0 && i < 0 {
		r.done = io.EOF
		return dst, ID{}, r.done
	}
	if f.kind != 0 {
		r.done = f.error(r.body, skipSpace(r.body, 0), &r.last, "")
		return dst, ID{}, r.done
	}
	r.index++
	r.last.advance(r.body, i)
	p := newParser(dst, r.body, r.opts)
	defer p.free()
	if r.pos = p.document(i); r.pos >= 0 {
		return p.out, p.id(), nil
	}
	f = p.fault
	if f.kind != Syntax {
		// The fault is this document's own, unless the rest of it is no JSON.
		end, worse := skipValue(r.body, i)
		if r.pos = end; worse.kind != 0 {
			f = worse
		}
	}
	err := f.error(r.body, i, new(r.last), "/"+strconv.Itoa(r.index))
	if f.kind == Syntax {
		r.done = err
	}
	return p.out[:len(dst)], ID{}, err
}

// element finds where the next element starts; -1 without a fault is the end of the array.
func (r *Reader) element() (int, fault) {
	i := skipSpace(r.body, r.pos)
	opening, closing := byte('['), byte(']')
	if r.index >= 0 {
		opening = ','
	}
	switch {
	case i < len(r.body) && r.body[i] == opening:
		start := skipSpace(r.body, i+1)
		if opening == ',' || start >= len(r.body) || r.body[start] != closing {
			return start, fault{}
		}
		i = start
	case r.index < 0:
		return i, r.noArray(i)
	case i >= len(r.body) || r.body[i] != closing:
		return i, fault{Syntax, i, "expected ',' or ']' after an element, found " + quoteAt(r.body, i)}
	}
	if end := skipSpace(r.body, i+1); end < len(r.body) {
		return end, fault{Syntax, end, "unexpected " + quoteAt(r.body, end) + " after the array"}
	}
	return -1, fault{}
}

// noArray is the fault of a body that does not start with a bracket.
func (r *Reader) noArray(i int) fault {
	if _, f := skipText(r.body, 0); f.kind != 0 {
		return f
	}
	return fault{Unfit, i, "expected an array of documents, this starts with " + quoteAt(r.body, i)}
}

func (r *Reader) nextLine(dst []byte) ([]byte, ID, error) {
	for r.pos < len(r.body) {
		start, end := r.pos, len(r.body)
		if n := bytes.IndexByte(r.body[start:], '\n'); n >= 0 {
			end = start + n
		}
		r.pos = end + 1
		if i := skipSpace(r.body[:end], start); i < end {
			r.index++
			r.last.advance(r.body, start)
			return r.parseLine(dst, r.body[:end], i)
		}
	}
	r.done = io.EOF
	return dst, ID{}, r.done
}

// parseLine parses the document at text[i], where the line ends with text: positions count from
// the start of the body that way.
func (r *Reader) parseLine(dst, text []byte, i int) ([]byte, ID, error) {
	p := newParser(dst, text, r.opts)
	defer p.free()
	end := p.document(i)
	if end >= 0 {
		if end = p.space(end); end < len(text) {
			end = p.syntax(end, "unexpected "+p.quote(end)+" after the document")
		}
	}
	if end >= 0 {
		return p.out, p.id(), nil
	}
	if _, f := skipText(text, i); p.fault.kind != Syntax && f.kind != 0 {
		p.fault = f
	}
	return p.out[:len(dst)], ID{}, p.fault.error(text, i, new(r.last), "")
}
