package document

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Extended JSON v2 spells the types that JSON lacks as objects with a key that starts with $:
// {"$oid":"65…"}. An object is such a wrapper if its first key is one of them; everything else in
// it must then be as the specification says.
// (github.com/mongodb/specifications, source/extended-json)

// A wrapperFunc writes the value of a wrapper, whose text is at src[i]; it returns the index behind
// the value, where the wrapper must end.
type wrapperFunc func(p *parser, i, slot int) int

// wrapperOf returns what reads the wrapper with the given key, or nil.
func wrapperOf(key []byte) wrapperFunc {
	switch string(key) {
	case "$oid":
		return (*parser).wrappedObjectID
	case "$symbol":
		return (*parser).wrappedSymbol
	case "$numberInt":
		return (*parser).wrappedInt32
	case "$numberLong":
		return (*parser).wrappedInt64
	case "$numberDouble":
		return (*parser).wrappedDouble
	case "$numberDecimal":
		return (*parser).wrappedDecimal
	case "$binary":
		return (*parser).wrappedBinary
	case "$uuid":
		return (*parser).wrappedUUID
	case "$code":
		return (*parser).wrappedCode
	case "$scope":
		return (*parser).wrappedScope
	case "$timestamp":
		return (*parser).wrappedTimestamp
	case "$regularExpression":
		return (*parser).wrappedRegex
	case "$dbPointer":
		return (*parser).wrappedDBPointer
	case "$date":
		return (*parser).wrappedDate
	case "$minKey":
		return (*parser).wrappedMinKey
	case "$maxKey":
		return (*parser).wrappedMaxKey
	case "$undefined":
		return (*parser).wrappedUndefined
	}
	return nil
}

// wrapper parses what follows an opening brace if it is a type wrapper. If not, ok is false and
// nothing has been written.
func (p *parser) wrapper(i, slot int) (end int, ok bool) {
	i = p.space(i)
	if len(p.src)-i < 2 || p.src[i] != '"' || (p.src[i+1] != '$' && p.src[i+1] != '\\') {
		return 0, false
	}
	at := len(p.out)
	end = p.text(i+1, true)
	read := wrapperOf(p.out[at:])
	p.out = p.out[:at]
	if end < 0 || read == nil {
		return 0, false // let the ordinary object find what is wrong
	}
	if end = p.colon(end); end < 0 {
		return -1, true
	}
	if end = read(p, end, slot); end < 0 {
		return -1, true
	}
	if end = p.space(end); end >= len(p.src) || p.src[end] != '}' {
		return p.unfit(i, "a type wrapper cannot have other members"), true
	}
	return end + 1, true
}

// colon skips the colon behind a key and the white space around it.
func (p *parser) colon(i int) int {
	if i = p.space(i); i >= len(p.src) || p.src[i] != ':' {
		return p.syntax(i, "expected ':' after a key, found "+p.quote(i))
	}
	return p.space(i + 1)
}

// reference reports whether key, which starts with $, is part of a DBRef: an ordinary document
// whose keys are $ref, $id and perhaps $db, in this order and before all others.
func (p *parser) reference(key []byte, set *keySet) bool {
	if !p.opts.ExtendedJSON || p.opts.Limits.DollarKeys || p.depth < 2 {
		return false
	}
	switch place := len(p.keys) - set.base; string(key) {
	case "$ref":
		return place == 1
	case "$id":
		return place == 2 && string(p.seen(p.keys[set.base])) == "$ref"
	case "$db":
		return place == 3 && string(p.seen(p.keys[set.base+1])) == "$id"
	}
	return false
}

// word reads the string at src[i]. The word is a view into the free space of out: the next write
// destroys it.
func (p *parser) word(i int, what string) (word []byte, end int) {
	if i >= len(p.src) || p.src[i] != '"' {
		return nil, p.unfit(i, "expected "+what+" in a string, found "+p.quote(i))
	}
	at := len(p.out)
	end = p.text(i+1, false)
	word = p.out[at:]
	p.out = p.out[:at]
	return word, end
}

// pair parses an object that has a member named a and one named b, in either order, and nothing
// else. It returns where their values start.
func (p *parser) pair(i int, a, b string) (atA, atB, end int) {
	start := i
	if i >= len(p.src) || p.src[i] != '{' {
		return 0, 0, p.unfit(i, "expected an object with "+a+" and "+b+", found "+p.quote(i))
	}
	atA, atB = -1, -1
	i = p.space(i + 1)
	for n := range 2 {
		name, next := p.word(i, "a key")
		if next < 0 {
			return 0, 0, -1
		}
		if next = p.colon(next); next < 0 {
			return 0, 0, -1
		}
		switch {
		case string(name) == a && atA < 0:
			atA = next
		case string(name) == b && atB < 0:
			atB = next
		default:
			return 0, 0, p.unfit(i, "expected "+a+" or "+b+", found "+clip(name))
		}
		var f fault
		if i, f = skipValue(p.src, next); f.kind != 0 {
			p.fault = f
			return 0, 0, -1
		}
		if i = p.space(i); i >= len(p.src) || p.src[i] != ",}"[n] {
			return 0, 0, p.unfit(start, "expected "+a+" and "+b+" and nothing else")
		}
		i = p.space(i + 1)
	}
	return atA, atB, i
}

// constant checks that src[i:] starts with the only value that a wrapper allows.
func (p *parser) constant(i, slot int, t bson.Type, value string, refused bool) int {
	if refused {
		return p.unfit(i, "a value of type "+t.String()+", which the store cannot hold")
	}
	if len(p.src)-i < len(value) || string(p.src[i:i+len(value)]) != value {
		return p.unfit(i, "expected "+value+", found "+p.quote(i))
	}
	p.out[slot] = byte(t)
	return i + len(value)
}

func (p *parser) wrappedMinKey(i, slot int) int {
	return p.constant(i, slot, bson.TypeMinKey, "1", p.opts.Limits.MinMaxKey)
}

func (p *parser) wrappedMaxKey(i, slot int) int {
	return p.constant(i, slot, bson.TypeMaxKey, "1", p.opts.Limits.MinMaxKey)
}

func (p *parser) wrappedUndefined(i, slot int) int {
	return p.constant(i, slot, bson.TypeUndefined, "true", p.opts.Limits.Undefined)
}
