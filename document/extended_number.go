package document

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The wrappers of numbers and times.

func (p *parser) wrappedInt32(i, slot int) int {
	v, end := p.integerWord(i, 32)
	if end < 0 {
		return -1
	}
	return p.int32(slot, end, int32(v))
}

func (p *parser) wrappedInt64(i, slot int) int {
	v, end := p.integerWord(i, 64)
	if end < 0 {
		return -1
	}
	return p.int64(slot, end, v)
}

// integerWord reads an integer in a string.
func (p *parser) integerWord(i, size int) (v int64, end int) {
	what := "an int" + strconv.Itoa(size)
	word, end := p.word(i, what)
	if end < 0 {
		return 0, -1
	}
	v, err := strconv.ParseInt(string(word), 10, size)
	if err != nil || word[0] == '+' {
		return 0, p.unfit(i, clip(word)+" is not "+what)
	}
	return v, end
}

func (p *parser) wrappedDouble(i, slot int) int {
	word, end := p.word(i, "a double")
	if end < 0 {
		return -1
	}
	f, ok := parseDouble(word)
	if !ok {
		return p.unfit(i, clip(word)+" is not a double")
	}
	return p.float(i, slot, end, f)
}

// parseDouble reads a JSON number, NaN, Infinity or -Infinity.
func parseDouble(word []byte) (float64, bool) {
	switch string(word) {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	case "":
		return 0, false
	}
	if n, f := scanNumber(word, 0); f.kind != 0 || n.end != len(word) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(word), 64)
	return f, err == nil
}

func (p *parser) wrappedDecimal(i, slot int) int {
	word, end := p.word(i, "a decimal128")
	if end < 0 {
		return -1
	}
	return p.decimal(i, slot, end, word)
}

// wrappedDate reads a time as an ISO 8601 string (relaxed) or as milliseconds since 1970 in a
// $numberLong (canonical). Of a fraction of a second, milliseconds are kept.
func (p *parser) wrappedDate(i, slot int) int {
	var ms int64
	var end int
	if i < len(p.src) && p.src[i] == '{' {
		ms, end = p.canonicalDate(i)
	} else {
		ms, end = p.relaxedDate(i)
	}
	if end < 0 {
		return -1
	}
	p.out[slot] = byte(bson.TypeDateTime)
	p.out = binary.LittleEndian.AppendUint64(p.out, uint64(ms))
	return end
}

func (p *parser) relaxedDate(i int) (ms int64, end int) {
	word, end := p.word(i, "a date")
	if end < 0 {
		return 0, -1
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, string(word)); err == nil {
			return t.UnixMilli(), end
		}
	}
	return 0, p.unfit(i, clip(word)+" is not a date (2006-01-02T15:04:05.999Z)")
}

func (p *parser) canonicalDate(i int) (ms int64, end int) {
	inner := p.space(i + 1)
	key, end := p.word(inner, "$numberLong")
	if end < 0 {
		return 0, -1
	}
	if string(key) != "$numberLong" {
		return 0, p.unfit(inner, "expected $numberLong, found "+clip(key))
	}
	if end = p.colon(end); end < 0 {
		return 0, -1
	}
	if ms, end = p.integerWord(end, 64); end < 0 {
		return 0, -1
	}
	if end = p.space(end); end >= len(p.src) || p.src[end] != '}' {
		return 0, p.unfit(i, "a type wrapper cannot have other members")
	}
	return ms, end + 1
}

// wrappedTimestamp reads {"t": seconds, "i": ordinal}, both uint32.
func (p *parser) wrappedTimestamp(i, slot int) int {
	atT, atI, end := p.pair(i, "t", "i")
	if end < 0 {
		return -1
	}
	t, okT := p.uint32(atT)
	ordinal, okI := p.uint32(atI)
	if !okT || !okI {
		return p.unfit(i, "t and i of a timestamp must be integers from 0 to 4294967295")
	}
	p.out[slot] = byte(bson.TypeTimestamp)
	p.out = binary.LittleEndian.AppendUint32(p.out, ordinal)
	p.out = binary.LittleEndian.AppendUint32(p.out, t)
	return end
}

func (p *parser) uint32(i int) (uint32, bool) {
	if p.src[i]-'0' > 9 {
		return 0, false
	}
	n, f := scanNumber(p.src, i)
	ok := f.kind == 0 && n.integer && n.digits <= 10 && n.mantissa <= math.MaxUint32
	return uint32(n.mantissa), ok
}
