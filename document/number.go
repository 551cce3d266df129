package document

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A numeral is a number as it is written: mantissa × 10^exponent, if digits is 19 at most.
type numeral struct {
	end      int    // index behind it
	mantissa uint64 // of all digits; meaningless past 19 of them
	digits   int
	exponent int // clamped far outside the range of a double
	negative bool
	integer  bool // neither a fraction nor an exponent
}

// scanNumber reads a number as RFC 8259 has it; src[i] is a digit or '-'.
func scanNumber(src []byte, i int) (numeral, fault) {
	n := numeral{integer: true}
	if src[i] == '-' {
		n.negative = true
		i++
	}
	first := i
	i = n.scanDigits(src, i)
	if i == first {
		return n, fault{Syntax, i, "expected a digit, found " + quoteAt(src, i)}
	}
	if src[first] == '0' && i > first+1 {
		return n, fault{Syntax, first, "a number cannot start with 0 followed by a digit"}
	}
	if i < len(src) && src[i] == '.' {
		n.integer = false
		point := i + 1
		if i = n.scanDigits(src, point); i == point {
			return n, fault{Syntax, i, "expected a digit after the decimal point, found " + quoteAt(src, i)}
		}
		n.exponent = point - i
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		n.integer = false
		var f fault
		if i, f = n.scanExponent(src, i+1); f.kind != 0 {
			return n, f
		}
	}
	n.end = i
	return n, fault{}
}

func (n *numeral) scanDigits(src []byte, i int) int {
	m, first := n.mantissa, i
	for ; i < len(src); i++ {
		d := src[i] - '0'
		if d > 9 {
			break
		}
		m = m*10 + uint64(d)
	}
	n.mantissa = m
	n.digits += i - first
	return i
}

func (n *numeral) scanExponent(src []byte, i int) (int, fault) {
	negative := false
	if i < len(src) && (src[i] == '+' || src[i] == '-') {
		negative = src[i] == '-'
		i++
	}
	first, e := i, 0
	for i < len(src) && src[i]-'0' <= 9 {
		if e < 1e8 {
			e = e*10 + int(src[i]-'0')
		}
		i++
	}
	if i == first {
		return i, fault{Syntax, i, "expected a digit in an exponent, found " + quoteAt(src, i)}
	}
	if negative {
		e = -e
	}
	n.exponent += e
	return i, fault{}
}

// number parses the number at src[i] and writes it in the smallest type that holds it exactly:
// int32, int64, decimal128 if allowed; a fraction or an exponent makes a double, and so does -0,
// which no integer can hold.
func (p *parser) number(i, slot int) int {
	if v, end := shortInteger(p.src, i); end > 0 {
		return p.smallest(slot, end, v)
	}
	n, f := scanNumber(p.src, i)
	if f.kind != 0 {
		p.fault = f
		return -1
	}
	if !n.integer {
		return p.double(i, slot, n)
	}
	const most = math.MaxInt64
	switch {
	case n.negative && n.mantissa == 0 && n.digits == 1:
		return p.float(i, slot, n.end, math.Copysign(0, -1))
	case n.digits > 19 || n.mantissa > most+1 || n.mantissa == most+1 && !n.negative:
		return p.bigInteger(i, slot, n.end)
	case n.negative:
		return p.smallest(slot, n.end, int64(-n.mantissa))
	}
	return p.smallest(slot, n.end, int64(n.mantissa))
}

// shortInteger reads an integer of up to 18 digits, which most numbers are. Where anything else
// stands at src[i], end is 0 and scanNumber has to look at it.
func shortInteger(src []byte, i int) (v int64, end int) {
	negative := src[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(src) && src[i]-'0' <= 9 {
		v = v*10 + int64(src[i]-'0')
		i++
	}
	switch digits := i - first; {
	case digits == 0 || digits > 18, src[first] == '0' && (negative || digits > 1):
		return 0, 0
	case i < len(src) && (src[i] == '.' || src[i]|0x20 == 'e'):
		return 0, 0
	case negative:
		return -v, i
	}
	return v, i
}

func (p *parser) smallest(slot, end int, v int64) int {
	if int64(int32(v)) == v {
		return p.int32(slot, end, int32(v))
	}
	return p.int64(slot, end, v)
}

func (p *parser) int64(slot, end int, v int64) int {
	p.out[slot] = byte(bson.TypeInt64)
	p.out = binary.LittleEndian.AppendUint64(p.out, uint64(v))
	return end
}

func (p *parser) int32(slot, end int, v int32) int {
	p.out[slot] = byte(bson.TypeInt32)
	p.out = binary.LittleEndian.AppendUint32(p.out, uint32(v))
	return end
}

// bigInteger writes an integer beyond int64.
func (p *parser) bigInteger(i, slot, end int) int {
	if !p.opts.BigNumbers {
		return p.unfit(i, "integer "+clip(p.src[i:end])+" does not fit into 64 bits")
	}
	return p.decimal(i, slot, end, p.src[i:end])
}

// double writes a number with a fraction or an exponent, correctly rounded.
func (p *parser) double(i, slot int, n numeral) int {
	f, ok := n.exact()
	if !ok {
		text := p.src[i:n.end]
		if n.digits > manyDigits {
			text = n.normalize(text)
		}
		// ParseFloat keeps no reference to its argument, so the text need not be copied.
		var err error
		if f, err = strconv.ParseFloat(unsafe.String(&text[0], len(text)), 64); err != nil {
			return p.unfit(i, "number "+clip(p.src[i:n.end])+" is beyond the range of a double")
		}
	}
	return p.float(i, slot, n.end, f)
}

// strconv cuts exponents short, but never below 10,000. That is far out of range, unless thousands
// of digits make up for it: 0.000…1e100001 may be 1.
const manyDigits = 1000

// normalize writes the number as 0.d…e…, the first digit not 0, so that its exponent alone says
// whether it is in range.
func (n *numeral) normalize(text []byte) []byte {
	var digits []byte
	for _, c := range text {
		if c|0x20 == 'e' {
			break
		}
		if c >= '1' && c <= '9' || c == '0' && len(digits) > 0 {
			digits = append(digits, c)
		}
	}
	out := append([]byte("-0."), digits...)
	out = strconv.AppendInt(append(out, 'e'), int64(len(digits)+n.exponent), 10)
	if !n.negative {
		out = out[1:]
	}
	return out
}

var powersOf10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// exact converts what one rounding can: a mantissa below 2^53 and a power of ten up to 10^22 are
// doubles without error, so their product or quotient is rounded once, as IEEE 754 wants it
// (William Clinger, How to Read Floating Point Numbers Accurately, 1990).
func (n *numeral) exact() (float64, bool) {
	if n.digits > 19 || n.mantissa >= 1<<53 || n.exponent < -22 || n.exponent > 22 {
		return 0, false
	}
	f := float64(n.mantissa)
	if n.exponent < 0 {
		f /= powersOf10[-n.exponent]
	} else {
		f *= powersOf10[n.exponent]
	}
	if n.negative {
		f = -f
	}
	return f, true
}

// float writes the double f, which stands at src[i], if the store can hold it.
func (p *parser) float(i, slot, end int, f float64) int {
	l := &p.opts.Limits
	switch {
	case l.NegativeZero && f == 0 && math.Signbit(f):
		return p.unfit(i, "negative zero, which the store cannot hold")
	case l.Infinity && math.IsInf(f, 0):
		return p.unfit(i, "an infinity, which the store cannot hold")
	case l.NaN && f != f:
		return p.unfit(i, "NaN, which the store cannot hold")
	}
	p.out[slot] = byte(bson.TypeDouble)
	p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(f))
	return end
}
