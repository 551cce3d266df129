package document

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The wrappers of ids, binaries, code and patterns.

// objectID reads 24 hexadecimal digits in a string.
func (p *parser) objectID(i int) (id [12]byte, end int) {
	word, end := p.word(i, "an ObjectID")
	if end < 0 {
		return id, -1
	}
	if len(word) == 24 {
		if _, err := hex.Decode(id[:], word); err == nil {
			return id, end
		}
	}
	return id, p.unfit(i, clip(word)+" is not an ObjectID (24 hexadecimal digits)")
}

func (p *parser) wrappedObjectID(i, slot int) int {
	id, end := p.objectID(i)
	if end < 0 {
		return -1
	}
	p.out[slot] = byte(bson.TypeObjectID)
	p.out = append(p.out, id[:]...)
	return end
}

func (p *parser) wrappedSymbol(i, slot int) int {
	if p.opts.Limits.Symbol {
		return p.unfit(i, "a symbol, which the store cannot hold")
	}
	p.out[slot] = byte(bson.TypeSymbol)
	return p.stringValue(i)
}

// stringValue writes the string at src[i].
func (p *parser) stringValue(i int) int {
	if i >= len(p.src) || p.src[i] != '"' {
		return p.unfit(i, "expected a string, found "+p.quote(i))
	}
	return p.string(i + 1)
}

// wrappedBinary reads {"base64": "…", "subType": "00"}.
func (p *parser) wrappedBinary(i, slot int) int {
	atBytes, atSubtype, end := p.pair(i, "base64", "subType")
	if end < 0 {
		return -1
	}
	word, next := p.word(atSubtype, "a subtype")
	if next < 0 {
		return -1
	}
	subtype, err := strconv.ParseUint(string(word), 16, 8)
	if err != nil || len(word) > 2 {
		return p.unfit(atSubtype, clip(word)+" is not a subtype (two hexadecimal digits)")
	}
	word, next = p.word(atBytes, "base64")
	if next < 0 {
		return -1
	}
	value, err := base64.StdEncoding.AppendDecode(nil, word)
	if err != nil {
		return p.unfit(atBytes, clip(word)+" is not base64")
	}
	return p.binary(slot, end, byte(subtype), value)
}

func (p *parser) binary(slot, end int, subtype byte, value []byte) int {
	p.out[slot] = byte(bson.TypeBinary)
	size := len(value)
	if subtype == bson.TypeBinaryBinaryOld { // its value starts with its length once more
		p.out = binary.LittleEndian.AppendUint32(p.out, uint32(size+4))
		p.out = append(p.out, subtype)
		p.out = binary.LittleEndian.AppendUint32(p.out, uint32(size))
	} else {
		p.out = binary.LittleEndian.AppendUint32(p.out, uint32(size))
		p.out = append(p.out, subtype)
	}
	p.out = append(p.out, value...)
	return end
}

func (p *parser) wrappedUUID(i, slot int) int {
	word, end := p.word(i, "a UUID")
	if end < 0 {
		return -1
	}
	uuid, ok := decodeUUID(word)
	if !ok {
		return p.unfit(i, clip(word)+" is not a UUID")
	}
	return p.binary(slot, end, bson.TypeBinaryUUID, uuid[:])
}

// wrappedCode reads code, and the scope that may follow it.
func (p *parser) wrappedCode(i, slot int) int {
	if p.opts.Limits.Code {
		return p.unfit(i, "code, which the store cannot hold")
	}
	p.out[slot] = byte(bson.TypeJavaScript)
	at := len(p.out)
	end := p.stringValue(i)
	if end < 0 {
		return -1
	}
	if end = p.space(end); end >= len(p.src) || p.src[end] != ',' {
		return end
	}
	if end = p.memberNamed(p.space(end+1), "$scope"); end < 0 {
		return -1
	}
	p.out = slices.Insert(p.out, at, 0, 0, 0, 0) // the length of both, which code alone has not
	if end = p.scope(end); end < 0 {
		return -1
	}
	return p.closeScope(at, slot, end)
}

// wrappedScope reads a scope with its code behind it. The two change places in BSON, so the scope
// is passed over first and read later.
func (p *parser) wrappedScope(i, slot int) int {
	if p.opts.Limits.Code {
		return p.unfit(i, "code, which the store cannot hold")
	}
	end, f := skipValue(p.src, i)
	if f.kind != 0 {
		p.fault = f
		return -1
	}
	if end = p.space(end); end >= len(p.src) || p.src[end] != ',' {
		return p.unfit(end, "$scope needs a $code")
	}
	if end = p.memberNamed(p.space(end+1), "$code"); end < 0 {
		return -1
	}
	at := len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
	if end = p.stringValue(end); end < 0 || p.scope(i) < 0 {
		return -1
	}
	return p.closeScope(at, slot, end)
}

// memberNamed expects the given key at src[i] and returns where its value starts.
func (p *parser) memberNamed(i int, name string) int {
	key, end := p.word(i, name)
	if end < 0 {
		return -1
	}
	if string(key) != name {
		return p.unfit(i, "expected "+name+", found "+clip(key))
	}
	return p.colon(end)
}

func (p *parser) scope(i int) int {
	if i >= len(p.src) || p.src[i] != '{' {
		return p.unfit(i, "a scope must be an object, this starts with "+p.quote(i))
	}
	return p.object(i + 1)
}

func (p *parser) closeScope(at, slot, end int) int {
	p.out[slot] = byte(bson.TypeCodeWithScope)
	binary.LittleEndian.PutUint32(p.out[at:], uint32(len(p.out)-at))
	return end
}

// wrappedRegex reads {"pattern": "…", "options": "…"}. Options are letters, which BSON wants in
// alphabetical order; a pattern is anything but a NUL.
func (p *parser) wrappedRegex(i, slot int) int {
	atPattern, atOptions, end := p.pair(i, "pattern", "options")
	if end < 0 {
		return -1
	}
	p.out[slot] = byte(bson.TypeRegex)
	if p.cstring(atPattern) < 0 {
		return -1
	}
	options := len(p.out)
	if p.cstring(atOptions) < 0 {
		return -1
	}
	letters := p.out[options : len(p.out)-1]
	for _, c := range letters {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return p.unfit(atOptions, "options of a regular expression must be letters")
		}
	}
	slices.Sort(letters)
	return end
}

// cstring writes the string at src[i] followed by a NUL.
func (p *parser) cstring(i int) int {
	at := len(p.out)
	word, end := p.word(i, "a pattern or its options")
	if end < 0 {
		return -1
	}
	if slices.Contains(word, 0) {
		return p.unfit(i, "a regular expression cannot contain a NUL")
	}
	p.out = append(p.out[:at+len(word)], 0)
	return end
}

// wrappedDBPointer reads {"$ref": "…", "$id": {"$oid": "…"}}.
func (p *parser) wrappedDBPointer(i, slot int) int {
	if p.opts.Limits.DBPointer {
		return p.unfit(i, "a DBPointer, which the store cannot hold")
	}
	atRef, atID, end := p.pair(i, "$ref", "$id")
	if end < 0 {
		return -1
	}
	if p.src[atID] != '{' {
		return p.unfit(atID, "expected an ObjectID, found "+p.quote(atID))
	}
	at := p.memberNamed(p.space(atID+1), "$oid")
	if at < 0 {
		return -1
	}
	id, next := p.objectID(at)
	if next < 0 {
		return -1
	}
	if next = p.space(next); p.src[next] != '}' {
		return p.unfit(atID, "a type wrapper cannot have other members")
	}
	p.out[slot] = byte(bson.TypeDBPointer)
	if p.stringValue(atRef) < 0 {
		return -1
	}
	p.out = append(p.out, id[:]...)
	return end
}
