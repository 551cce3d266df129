package document

import "fmt"

// A Kind says whose fault an [Error] is, and so which status a server answers.
type Kind uint8

const (
	// Syntax: the text is no JSON by RFC 8259 (400). It says nothing about what a document may
	// hold: whatever else is wrong with a text, if it is no JSON it is a Syntax error.
	Syntax Kind = iota + 1
	// Unfit: JSON that a document, or the store at hand, cannot hold (422).
	Unfit
	// TooLarge: JSON whose document would exceed [MaxSize] (413).
	TooLarge
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Syntax:
		return "syntax"
	case Unfit:
		return "unfit"
	case TooLarge:
		return "too large"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// An Error says what is wrong with a text, and where. [Append], [Reader.Next] and [Builder.End]
// return it as *Error; it holds no reference to the text.
type Error struct {
	Kind Kind
	// Offset is the position of the fault in bytes from the start of the text (of the whole body
	// in a [Reader]), counted from 0. At an unexpected end it is the length of the text.
	Offset int
	// Line is the line of the fault, counted from 1. Lines end with a line feed.
	Line int
	// Column is the position in the line in bytes, counted from 1.
	Column int
	// Pointer is the JSON pointer (RFC 6901) of the value at fault; "" is the whole text. A fault
	// between values, or inside a key, names the object or array around it. A pointer that would
	// exceed 1 KiB is cut to the nearest enclosing value that can be named in it.
	Pointer string
	// Msg says what is wrong, quoting the text where that helps.
	Msg string
}

// Error implements the error interface.
func (e *Error) Error() string {
	where := ""
	if e.Pointer != "" {
		where = fmt.Sprintf(", at %q", e.Pointer)
	}
	return fmt.Sprintf("document: %s (line %d, column %d, offset %d%s)", e.Msg, e.Line, e.Column, e.Offset, where)
}

// A fault is an error before anybody needs its line, column and pointer.
type fault struct {
	kind Kind
	off  int
	msg  string
}

// error completes the fault. The text of the fault's document starts at from, m is a mark at or
// before from, and prefix is the pointer of the document itself.
func (f fault) error(src []byte, from int, m *mark, prefix string) *Error {
	m.advance(src, f.off)
	return &Error{
		Kind:    f.kind,
		Offset:  f.off,
		Line:    m.line + 1,
		Column:  f.off - m.lineStart + 1,
		Pointer: prefix + pointer(src, from, f.off),
		Msg:     f.msg,
	}
}
