package document

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"strconv"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// wrap writes {"$name":"…"} around what text writes.
func (w *jsonWriter) wrap(name string, text func()) {
	w.raw(`{"`)
	w.raw(name)
	w.raw(`":"`)
	text()
	w.raw(`"}`)
}

func (w *jsonWriter) int32(v []byte) {
	n := int64(int32(binary.LittleEndian.Uint32(v)))
	if w.mode == Canonical {
		w.wrap("$numberInt", func() { w.out = strconv.AppendInt(w.out, n, 10) })
		return
	}
	w.out = strconv.AppendInt(w.out, n, 10)
}

func (w *jsonWriter) int64(v []byte) {
	n := int64(binary.LittleEndian.Uint64(v))
	if w.mode == Canonical {
		w.wrap("$numberLong", func() { w.out = strconv.AppendInt(w.out, n, 10) })
		return
	}
	w.out = strconv.AppendInt(w.out, n, 10)
}

func (w *jsonWriter) double(v []byte) {
	f := math.Float64frombits(binary.LittleEndian.Uint64(v))
	finite := !math.IsInf(f, 0) && f == f
	switch {
	case w.mode == Canonical, w.mode == Relaxed && !finite:
		w.wrap("$numberDouble", func() { w.out = appendDouble(w.out, f) })
	case !finite:
		w.raw(`"`)
		w.out = appendDouble(w.out, f)
		w.raw(`"`)
	default:
		w.out = appendDouble(w.out, f)
	}
}

// appendDouble writes the shortest digits that read back as f, and always a fraction or an
// exponent, so that they read back as a double.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f != f:
		return append(dst, "NaN"...)
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'E'
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if !bytes.ContainsAny(dst[at:], ".E") {
		dst = append(dst, ".0"...)
	}
	return dst
}

func (w *jsonWriter) boolean(v []byte) error {
	switch v[0] {
	case 0:
		w.raw("false")
	case 1:
		w.raw("true")
	default:
		return invalid("a boolean of value %d", v[0])
	}
	return nil
}

func (w *jsonWriter) objectID(v []byte) {
	if w.mode == Plain {
		w.raw(`"`)
		w.out = hex.AppendEncode(w.out, v)
		w.raw(`"`)
		return
	}
	w.wrap("$oid", func() { w.out = hex.AppendEncode(w.out, v) })
}

// date writes milliseconds since 1970. Relaxed Extended JSON spells the years 1970 to 9999 as a
// date; plain JSON all that RFC 3339 can.
func (w *jsonWriter) date(v []byte) {
	ms := int64(binary.LittleEndian.Uint64(v))
	const (
		year0     = -62167219200000
		year10000 = 253402300800000
	)
	layout := "2006-01-02T15:04:05Z"
	if ms%1000 != 0 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	text := func() { w.out = time.UnixMilli(ms).UTC().AppendFormat(w.out, layout) }
	switch {
	case w.mode == Plain && ms >= year0 && ms < year10000:
		w.raw(`"`)
		text()
		w.raw(`"`)
	case w.mode != Canonical && ms >= 0 && ms < year10000:
		w.wrap("$date", text)
	default:
		w.raw(`{"$date":`)
		w.wrap("$numberLong", func() { w.out = strconv.AppendInt(w.out, ms, 10) })
		w.raw(`}`)
	}
}

func (w *jsonWriter) binary(v []byte) {
	subtype, value := v[4], v[5:]
	if subtype == bson.TypeBinaryBinaryOld {
		value = value[4:]
	}
	if w.mode == Plain {
		w.raw(`"`)
		if subtype == bson.TypeBinaryUUID && len(value) == 16 {
			w.out = appendUUID(w.out, value)
		} else {
			w.out = base64.StdEncoding.AppendEncode(w.out, value)
		}
		w.raw(`"`)
		return
	}
	w.raw(`{"$binary":{"base64":"`)
	w.out = base64.StdEncoding.AppendEncode(w.out, value)
	w.raw(`","subType":"`)
	w.out = hex.AppendEncode(w.out, v[4:5])
	w.raw(`"}}`)
}

func appendUUID(dst, v []byte) []byte {
	for i, n := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, v[:n])
		v = v[n:]
	}
	return dst
}

func (w *jsonWriter) decimal(v []byte) {
	d := bson.NewDecimal128(binary.LittleEndian.Uint64(v[8:]), binary.LittleEndian.Uint64(v))
	text := d.String()
	switch {
	case w.mode != Plain:
		w.wrap("$numberDecimal", func() { w.raw(text) })
	case d.IsNaN() || d.IsInf() != 0:
		w.string([]byte(text))
	default:
		w.raw(text)
	}
}

// rareValue writes the types that have no form but that of Extended JSON.
func (w *jsonWriter) rareValue(t bson.Type, v []byte) error {
	switch t {
	case bson.TypeSymbol:
		w.symbol(v)
	case bson.TypeJavaScript:
		w.raw(`{"$code":`)
		w.string(v[4 : len(v)-1])
		w.raw(`}`)
	case bson.TypeCodeWithScope:
		return w.codeWithScope(v)
	case bson.TypeRegex:
		w.regex(v)
	case bson.TypeTimestamp:
		w.timestamp(v)
	case bson.TypeDBPointer:
		w.dbPointer(v)
	case bson.TypeUndefined:
		w.raw(`{"$undefined":true}`)
	case bson.TypeMinKey:
		w.raw(`{"$minKey":1}`)
	case bson.TypeMaxKey:
		w.raw(`{"$maxKey":1}`)
	default:
		return invalid("unknown type 0x%02x", byte(t))
	}
	return nil
}

func (w *jsonWriter) symbol(v []byte) {
	if w.mode == Plain {
		w.string(v[4 : len(v)-1])
		return
	}
	w.raw(`{"$symbol":`)
	w.string(v[4 : len(v)-1])
	w.raw(`}`)
}

func (w *jsonWriter) codeWithScope(v []byte) error {
	end := 8 + int(binary.LittleEndian.Uint32(v[4:]))
	w.raw(`{"$code":`)
	w.string(v[8 : end-1])
	w.raw(`,"$scope":`)
	err := w.document(v[end:])
	w.raw(`}`)
	return err
}

func (w *jsonWriter) regex(v []byte) {
	end := bytes.IndexByte(v, 0)
	w.raw(`{"$regularExpression":{"pattern":`)
	w.string(v[:end])
	w.raw(`,"options":`)
	w.string(v[end+1 : len(v)-1])
	w.raw(`}}`)
}

func (w *jsonWriter) timestamp(v []byte) {
	w.raw(`{"$timestamp":{"t":`)
	w.out = strconv.AppendUint(w.out, uint64(binary.LittleEndian.Uint32(v[4:])), 10)
	w.raw(`,"i":`)
	w.out = strconv.AppendUint(w.out, uint64(binary.LittleEndian.Uint32(v)), 10)
	w.raw(`}}`)
}

func (w *jsonWriter) dbPointer(v []byte) {
	end := len(v) - 12
	w.raw(`{"$dbPointer":{"$ref":`)
	w.string(v[4 : end-1])
	w.raw(`,"$id":{"$oid":"`)
	w.out = hex.AppendEncode(w.out, v[end:])
	w.raw(`"}}}`)
}

// string writes a JSON string, escaping what RFC 8259 says must be escaped and nothing else.
func (w *jsonWriter) string(s []byte) {
	out := append(w.out, '"')
	for {
		n := plainLength(s)
		out = append(out, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			break
		}
		if s[0] < utf8.RuneSelf {
			out = appendEscape(out, s[0])
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRune(s)
		out = utf8.AppendRune(out, r) // U+FFFD for a bad byte
		s = s[n:]
	}
	w.out = append(out, '"')
}

// plainLength returns how many bytes at the start of s need no attention.
func plainLength(s []byte) int {
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		if found := special(binary.LittleEndian.Uint64(s[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for i < len(s) && !isSpecial(s[i]) {
		i++
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(dst, `\u00`+string([]byte{digits[c>>4], digits[c&15]})...)
}
