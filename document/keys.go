package document

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// Duplicate keys are found without a map: the keys of an object stand in out already, so it takes
// only a stack of where they are. Objects nest, and only the innermost one grows, so the keys of
// all open objects share one stack, and so do the hash tables of those that need one.

// A seenKey is a key of an open object. It lies in out, at bytes behind the start of the document.
type seenKey struct {
	hash uint64
	at   uint32
	n    uint32
}

// A keySet is the part of the stacks that belongs to one object.
type keySet struct {
	base  int    // its first key in parser.keys
	table int    // its first slot in parser.table
	bloom uint64 // a bit for every fingerprint so far
}

// fewKeys is how many keys are compared one by one. Beyond it a hash table takes over, whose hash
// is seeded, so that no choice of keys can make it slow.
const fewKeys = 32

// fresh reports whether the key that was just written to out[at:] is new in its object, and
// remembers it.
func (p *parser) fresh(s *keySet, at int) bool {
	key := p.out[at:]
	if len(p.keys)-s.base >= fewKeys {
		return p.freshAmongMany(s, at)
	}
	hash := fingerprint(key)
	bit := uint64(1) << (hash >> 58)
	if s.bloom&bit != 0 {
		for _, k := range p.keys[s.base:] {
			if k.hash == hash && bytes.Equal(p.seen(k), key) {
				return false
			}
		}
	}
	s.bloom |= bit
	p.keys = append(p.keys, seenKey{hash, uint32(at - p.start), uint32(len(key))})
	return true
}

// seen returns the bytes of a key.
func (p *parser) seen(k seenKey) []byte {
	at := p.start + int(k.at)
	return p.out[at : at+int(k.n)]
}

// fingerprint mixes the ends of a key and its length. It is quick, not safe from collisions.
func fingerprint(key []byte) uint64 {
	var head, tail uint64
	switch n := len(key); {
	case n >= 8:
		head, tail = binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		head, tail = uint64(binary.LittleEndian.Uint32(key)), uint64(binary.LittleEndian.Uint32(key[n-4:]))
	case n > 0:
		head, tail = uint64(key[0])<<8|uint64(key[n/2]), uint64(key[n-1])
	}
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return ((head+uint64(len(key)))*odd ^ tail) * odd
}

// freshAmongMany is fresh with a hash table of open addressing, at most half full. Its slots hold
// 1 + the index of a key in the object.
func (p *parser) freshAmongMany(s *keySet, at int) bool {
	if n := len(p.keys) - s.base; 2*(n+1) > len(p.table)-s.table {
		p.growTable(s)
	}
	table := p.table[s.table:]
	key := p.out[at:]
	hash := maphash.Bytes(p.seed, key)
	slot := hash & uint64(len(table)-1)
	for ; table[slot] != 0; slot = (slot + 1) & uint64(len(table)-1) {
		k := p.keys[s.base+int(table[slot])-1]
		if k.hash == hash && bytes.Equal(p.seen(k), key) {
			return false
		}
	}
	if len(p.keys) == cap(p.keys) {
		p.keys = slices.Grow(p.keys, len(p.keys)) // doubling leaves less behind than append does
	}
	p.keys = append(p.keys, seenKey{hash, uint32(at - p.start), uint32(len(key))})
	table[slot] = uint32(len(p.keys) - s.base)
	return true
}

// growTable doubles the object's table, or makes its first, and files all its keys anew.
func (p *parser) growTable(s *keySet) {
	size := 2 * (len(p.table) - s.table)
	first := size == 0
	if first {
		size = 4 * fewKeys
	}
	if need := s.table + size; need <= cap(p.table) {
		p.table = p.table[:need]
	} else {
		p.table = append(p.table[:s.table], make([]uint32, size)...)
	}
	table := p.table[s.table:]
	clear(table)
	for i := range p.keys[s.base:] {
		k := &p.keys[s.base+i]
		if first {
			k.hash = maphash.Bytes(p.seed, p.seen(*k))
		}
		slot := k.hash & uint64(size-1)
		for table[slot] != 0 {
			slot = (slot + 1) & uint64(size-1)
		}
		table[slot] = uint32(i + 1)
	}
}
