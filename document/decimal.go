package document

import (
	"encoding/binary"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// IEEE 754-2008 decimal128 in binary encoding: coefficient × 10^exponent, of 34 digits at most.
const (
	decimalDigits      = 34
	maxDecimalExponent = 6111
	minDecimalExponent = -6176
	decimalNaN         = 0x7c << 56
	decimalInfinity    = 0x78 << 56
	decimalNegative    = 1 << 63
)

// decimal writes text, which stands at src[i:end], as a decimal128.
func (p *parser) decimal(i, slot, end int, text []byte) int {
	if p.opts.Limits.Decimal128 {
		return p.unfit(i, "a decimal128, which the store cannot hold")
	}
	high, low, ok := parseDecimal(text)
	if !ok {
		return p.unfit(i, "number "+clip(text)+" has no exact decimal128")
	}
	p.out[slot] = byte(bson.TypeDecimal128)
	p.out = binary.LittleEndian.AppendUint64(p.out, low)
	p.out = binary.LittleEndian.AppendUint64(p.out, high)
	return end
}

// parseDecimal reads a JSON number, NaN, Infinity or -Infinity. It keeps trailing zeros, as
// decimal128 does, and fails rather than round.
func parseDecimal(text []byte) (high, low uint64, ok bool) {
	switch string(text) {
	case "NaN":
		return decimalNaN, 0, true
	case "Infinity":
		return decimalInfinity, 0, true
	case "-Infinity":
		return decimalInfinity | decimalNegative, 0, true
	case "":
		return 0, 0, false
	}
	n, f := scanNumber(text, 0)
	if f.kind != 0 || n.end != len(text) {
		return 0, 0, false
	}
	c := coefficient{exponent: n.exponent}
	for _, b := range text {
		switch {
		case b|0x20 == 'e':
			return c.pack(n.negative)
		case b == '-' || b == '.':
		case !c.digit(b - '0'):
			return 0, 0, false
		}
	}
	return c.pack(n.negative)
}

// A coefficient is an unsigned integer of up to 34 decimal digits, with its exponent.
type coefficient struct {
	high, low uint64
	digits    int
	exponent  int
}

func (c *coefficient) zero() bool { return c.high|c.low == 0 }

// digit appends a digit. Past the last place only zeros fit; they go to the exponent.
func (c *coefficient) digit(d byte) bool {
	if c.digits == decimalDigits {
		c.exponent++
		return d == 0
	}
	over, low := bits.Mul64(c.low, 10)
	low, carry := bits.Add64(low, uint64(d), 0)
	c.high, c.low = c.high*10+over+carry, low
	if !c.zero() {
		c.digits++
	}
	return true
}

// pack encodes the number, moving trailing zeros between coefficient and exponent where that
// brings the exponent into range.
func (c *coefficient) pack(negative bool) (high, low uint64, ok bool) {
	if c.zero() {
		c.exponent = max(minDecimalExponent, min(c.exponent, maxDecimalExponent))
	}
	for c.exponent > maxDecimalExponent && c.digits < decimalDigits {
		c.digit(0)
		c.exponent--
	}
	for c.exponent < minDecimalExponent {
		high, rest := c.high/10, c.high%10
		low, rest := bits.Div64(rest, c.low, 10)
		if rest != 0 {
			return 0, 0, false
		}
		c.high, c.low = high, low
		c.exponent++
	}
	if c.exponent > maxDecimalExponent {
		return 0, 0, false
	}
	high = uint64(c.exponent-minDecimalExponent)<<49 | c.high
	if negative {
		high |= decimalNegative
	}
	return high, c.low, true
}
