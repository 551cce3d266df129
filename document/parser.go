package document

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strconv"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A parser turns one object of src into one document at the end of out.
//
// Its methods take the index of the next byte to read and return the index behind what they read,
// or -1 after they have noted a fault: the index lives in a register, out grows behind it, and
// there is no tree in between. Recursion ends at MaxDepth.
type parser struct {
	src   []byte
	out   []byte
	opts  *Options
	start int // where the document starts in out
	depth int // objects and arrays that are open
	fault fault

	idAt, idEnd int  // the _id element in out; idAt is 0 while there is none
	reserved    bool // room for a generated _id was left at the start
	generated   bool

	keys  []seenKey // the keys of the open objects, for duplicates; see keys.go
	table []uint32
	seed  maphash.Seed
}

// Scratch is worth keeping only while it is small: one hostile document must not leave megabytes
// behind for the life of the process.
const maxPooledKeys = 16 << 10

var parsers = sync.Pool{New: func() any { return &parser{seed: maphash.MakeSeed()} }}

func newParser(dst, src []byte, opts *Options) *parser {
	if opts == nil {
		opts = &plain
	}
	p := parsers.Get().(*parser)
	p.src, p.out, p.opts = src, dst, opts
	p.start, p.depth = len(dst), 0
	p.idAt, p.reserved, p.generated = 0, false, false
	return p
}

// free returns the parser to the pool, without any hold on the caller's memory.
func (p *parser) free() {
	if cap(p.keys) > maxPooledKeys || cap(p.table) > 4*maxPooledKeys {
		return
	}
	p.src, p.out, p.opts, p.fault = nil, nil, nil, fault{}
	p.keys, p.table = p.keys[:0], p.table[:0]
	parsers.Put(p)
}

// document parses the object at src[i] as a document of its own.
func (p *parser) document(i int) int {
	p.depth = 0
	if i >= len(p.src) {
		return p.syntax(i, "there is no document, only white space")
	}
	if p.src[i] != '{' {
		if len(p.src)-i >= 3 && string(p.src[i:i+3]) == "\ufeff" {
			return p.syntax(i, "a byte order mark is no part of JSON")
		}
		return p.unfit(i, "a document must be an object, this starts with "+p.quote(i))
	}
	return p.object(i + 1)
}

// object parses what follows an opening brace.
func (p *parser) object(i int) int {
	if p.depth == MaxDepth {
		return p.tooDeep(i - 1)
	}
	p.depth++
	at := len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
	if p.depth == 1 {
		p.reserveID(p.space(i))
	}
	set := keySet{base: len(p.keys), table: len(p.table)}
	if i = p.members(i, &set); i < 0 {
		return -1
	}
	p.keys, p.table = p.keys[:set.base], p.table[:set.table]
	if p.depth == 1 {
		p.settleID()
	}
	p.close(at)
	if p.depth == 0 && len(p.out)-p.start > MaxSize {
		return p.tooLarge(i - 1)
	}
	return i
}

// close ends the object or array whose length stands at out[at].
func (p *parser) close(at int) {
	p.out = append(p.out, 0)
	binary.LittleEndian.PutUint32(p.out[at:], uint32(len(p.out)-at))
	p.depth--
}

func (p *parser) members(i int, set *keySet) int {
	if i = p.space(i); i < len(p.src) && p.src[i] == '}' {
		return i + 1
	}
	for {
		if i = p.member(i, set); i < 0 {
			return -1
		}
		if i = p.space(i); i >= len(p.src) {
			return p.syntax(i, "the text ends inside an object")
		}
		switch p.src[i] {
		case ',':
			i = p.space(i + 1)
		case '}':
			return i + 1
		default:
			return p.syntax(i, "expected ',' or '}' after a member, found "+p.quote(i))
		}
	}
}

// member parses `"key": value`. The byte of the type comes before the key in BSON and is known
// after it, so a slot is left for it.
func (p *parser) member(i int, set *keySet) int {
	if i >= len(p.src) || p.src[i] != '"' {
		return p.syntax(i, "expected a key in double quotes, found "+p.quote(i))
	}
	key, slot := i, len(p.out)
	p.out = append(p.out, 0)
	if i = p.text(i+1, true); i < 0 {
		return -1
	}
	if !p.admit(key, slot+1, set) {
		return -1
	}
	p.out = append(p.out, 0)
	after := len(p.out)
	if i = p.space(i); i >= len(p.src) || p.src[i] != ':' {
		return p.syntax(i, "expected ':' after a key, found "+p.quote(i))
	}
	value := p.space(i + 1)
	if i = p.value(value, slot); i < 0 {
		return -1
	}
	if len(p.out)-p.start > MaxSize+idRoom {
		return p.tooLarge(value)
	}
	if p.depth == 1 && after-slot == 5 && string(p.out[slot+1:after-1]) == "_id" {
		return p.takeID(slot, value, i)
	}
	return i
}

// admit judges the key that was just written to out[at:]; its text is at src[i].
func (p *parser) admit(i, at int, set *keySet) bool {
	if !p.fresh(set, at) {
		p.unfit(i, fmt.Sprintf("duplicate key %s", clip(p.out[at:])))
		return false
	}
	if len(p.out) > at && p.out[at] == '$' && !p.reference(p.out[at:], set) {
		p.unfit(i, fmt.Sprintf("key %s starts with $", clip(p.out[at:])))
		return false
	}
	if p.opts.Limits.DottedKeys && dotted(p.out[at:]) {
		p.unfit(i, fmt.Sprintf("key %s contains a dot, which the store cannot hold", clip(p.out[at:])))
		return false
	}
	return true
}

func dotted(key []byte) bool {
	for _, c := range key {
		if c == '.' {
			return true
		}
	}
	return false
}

// array parses what follows an opening bracket. A BSON array is a document with the keys "0",
// "1", "2", ….
func (p *parser) array(i int) int {
	if p.depth == MaxDepth {
		return p.tooDeep(i - 1)
	}
	p.depth++
	at := len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
	if i = p.space(i); i < len(p.src) && p.src[i] == ']' {
		p.close(at)
		return i + 1
	}
	for n := 0; ; n++ {
		if i = p.element(i, n); i < 0 {
			return -1
		}
		if i = p.space(i); i >= len(p.src) {
			return p.syntax(i, "the text ends inside an array")
		}
		switch p.src[i] {
		case ',':
			i = p.space(i + 1)
		case ']':
			p.close(at)
			return i + 1
		default:
			return p.syntax(i, "expected ',' or ']' after an element, found "+p.quote(i))
		}
	}
}

func (p *parser) element(i, n int) int {
	if p.opts.Limits.NestedArrays && i < len(p.src) && p.src[i] == '[' {
		return p.unfit(i, "an array inside an array, which the store cannot hold")
	}
	slot := len(p.out)
	if n < 10 {
		p.out = append(p.out, 0, byte('0'+n), 0)
	} else {
		p.out = append(strconv.AppendUint(append(p.out, 0), uint64(n), 10), 0)
	}
	value := i
	if i = p.value(i, slot); i >= 0 && len(p.out)-p.start > MaxSize+idRoom {
		return p.tooLarge(value)
	}
	return i
}

// value parses the value at src[i] and puts its type into out[slot].
func (p *parser) value(i, slot int) int {
	if i >= len(p.src) {
		return p.syntax(i, "the text ends where a value should be")
	}
	switch c := p.src[i]; c {
	case '"':
		p.out[slot] = byte(bson.TypeString)
		return p.string(i + 1)
	case '{':
		if p.opts.ExtendedJSON {
			if end, ok := p.wrapper(i+1, slot); ok {
				return end
			}
		}
		p.out[slot] = byte(bson.TypeEmbeddedDocument)
		return p.object(i + 1)
	case '[':
		p.out[slot] = byte(bson.TypeArray)
		return p.array(i + 1)
	case 't', 'f', 'n':
		return p.literal(i, slot)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number(i, slot)
	}
	return p.syntax(i, "expected a value, found "+p.quote(i))
}

func (p *parser) literal(i, slot int) int {
	rest := p.src[i:]
	switch {
	case len(rest) >= 4 && string(rest[:4]) == "true":
		p.out[slot] = byte(bson.TypeBoolean)
		p.out = append(p.out, 1)
		return i + 4
	case len(rest) >= 5 && string(rest[:5]) == "false":
		p.out[slot] = byte(bson.TypeBoolean)
		p.out = append(p.out, 0)
		return i + 5
	case len(rest) >= 4 && string(rest[:4]) == "null":
		p.out[slot] = byte(bson.TypeNull)
		return i + 4
	}
	return p.syntax(i, "expected a value, found a word that is not true, false or null")
}

// space skips white space.
func (p *parser) space(i int) int {
	if i < len(p.src) && p.src[i] > ' ' {
		return i
	}
	return skipSpace(p.src, i)
}
