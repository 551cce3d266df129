package document_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// The driver parses decimals through math/big; the two agree on every number, and on which numbers
// have no exact decimal128.
func TestDecimalAgreesWithDriver(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	opts := fixed(document.Options{ExtendedJSON: true})
	for range 20_000 {
		text := randomDecimal(r)
		want, wantErr := bson.ParseDecimal128(text)
		got, _, err := document.Append(nil, fmt.Appendf(nil, `{"a":{"$numberDecimal":%q}}`, text), opts)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, the driver says %v", text, err, wantErr)
		}
		if raw := mustMarshal(t, withID(a(want))); err == nil && !bytes.Equal(got, raw) {
			t.Fatalf("%s:\n got %x\nwant %x", text, got, raw)
		}
	}
}

func randomDecimal(r *rand.Rand) string {
	digits := make([]byte, 1+r.IntN(38))
	for i := range digits {
		digits[i] = '0' + byte(r.IntN(10)*r.IntN(2)*r.IntN(2)) // zeros often, to meet the edges
	}
	whole := strings.TrimLeft(string(digits), "0")
	if whole == "" {
		whole = "0"
	}
	if r.IntN(3) == 0 {
		whole += "." + string(digits[:1+r.IntN(len(digits))])
	}
	switch r.IntN(4) {
	case 0:
		whole += fmt.Sprintf("E%+d", r.IntN(12400)-6200)
	case 1:
		whole += fmt.Sprintf("e%d", 6100+r.IntN(60))
	case 2:
		whole += fmt.Sprintf("e-%d", 6140+r.IntN(60))
	}
	if r.IntN(2) == 0 {
		return "-" + whole
	}
	return whole
}
