package document

import "go.mongodb.org/mongo-driver/v2/bson"

// MongoDB wants _id first, text may have it anywhere or not at all, and we read the text once. So
// room for a generated ObjectID is left at the start of every document that does not begin with
// its _id. If none comes, the room is filled. If one comes late, it is moved to the front when the
// document is complete, and the room closed: until then nothing moves, and every position that
// was noted stays true.

// idRoom is the size of an _id element that holds an ObjectID: type, "_id", NUL, 12 bytes.
const idRoom = 1 + 4 + 12

// reserveID leaves the room, unless the first key, which is at src[i], is _id. (An _id that is
// spelt with escapes counts as a late one.)
func (p *parser) reserveID(i int) {
	const key = `"_id"`
	p.reserved = len(p.src)-i < len(key) || string(p.src[i:i+len(key)]) != key
	if p.reserved {
		p.out = append(p.out, byte(bson.TypeObjectID), '_', 'i', 'd', 0,
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
}

// takeID notes the _id that lies in out[slot:]; its text is at src[value:end]. MongoDB takes no
// array, regular expression or undefined for an _id, and null only by accident of unique indexes.
func (p *parser) takeID(slot, value, end int) int {
	switch t := bson.Type(p.out[slot]); t {
	case bson.TypeArray, bson.TypeRegex, bson.TypeNull, bson.TypeUndefined:
		return p.unfit(value, "_id cannot be of type "+t.String())
	}
	p.idAt, p.idEnd = slot, len(p.out)
	return end
}

// settleID puts the _id first, when all members are written.
func (p *parser) settleID() {
	at := p.start + 4
	switch {
	case p.idAt == 0:
		id := p.opts.newID()
		copy(p.out[at+idRoom-len(id):], id[:])
		p.generated = true
		p.idEnd = at + idRoom
	case p.reserved:
		p.moveID(at)
	}
}

// moveID turns  room | before | _id | after  into  _id | before | after.
func (p *parser) moveID(at int) {
	n, end := p.idEnd-p.idAt, len(p.out)
	p.out = append(p.out, p.out[p.idAt:p.idEnd]...) // kept while the rest moves
	out := p.out
	before := copy(out[at+n:], out[at+idRoom:p.idAt])
	copy(out[at+n+before:], out[p.idEnd:end])
	copy(out[at:], out[end:])
	p.out = out[:end-idRoom]
	p.idAt, p.idEnd = at, at+n
}

// id describes the _id of the document that was just completed.
func (p *parser) id() ID {
	at := p.start + 4
	return ID{Type: bson.Type(p.out[at]), Value: p.out[at+5 : p.idEnd : p.idEnd], Generated: p.generated}
}
