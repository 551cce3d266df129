package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// survey is a document as a client sends it. It is written by encoding/json, and
// what should arrive by bson.Marshal: neither is the code under torture.
type survey struct {
	ID     string   `json:"_id,omitempty" bson:"-"`
	N      int32    `json:"n" bson:"n"`
	Text   string   `json:"text" bson:"text"`
	Score  float64  `json:"score" bson:"score"`
	Big    int64    `json:"big" bson:"big"`
	List   []string `json:"list" bson:"list"`
	Nested struct {
		Yes bool   `json:"yes" bson:"yes"`
		Not *int32 `json:"not" bson:"not"`
	} `json:"nested" bson:"nested"`
}

// chosenEach says how many documents bring an _id: one of so many. Whether such a
// document is in the database already must be looked up after a kill, for which
// FerretDB reads the collection from its beginning.
const chosenEach = 50

// letters are what texts are made of: some that JSON escapes, some of more than a
// byte in UTF-8.
var letters = []rune("abcdefghijklmnopqrstuvwxyz \"\\/\n\té€😀")

// document makes document n of a seed.
func document(seed uint64, n int) survey {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	d := survey{N: int32(n), Score: float64(r.IntN(1_000_000)) + 0.5, Big: 1<<40 + r.Int64N(1<<50)}
	if chosen(n) {
		d.ID = idOf(seed, n)
	}
	d.Text = text(r, 20+r.IntN(120))
	for range r.IntN(5) {
		d.List = append(d.List, text(r, r.IntN(12)))
	}
	if d.List == nil {
		d.List = []string{}
	}
	d.Nested.Yes = r.IntN(2) == 0
	return d
}

func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteRune(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// chosen says whether document n brings its _id.
func chosen(n int) bool { return n%chosenEach == 0 }

func idOf(seed uint64, n int) string { return fmt.Sprintf("%x-%d", seed, n) }

// appendJSON appends the document on one line, without the line's end.
func (d *survey) appendJSON(dst []byte) ([]byte, error) {
	b, err := json.Marshal(d)
	return append(dst, b...), err
}

// matches says whether held is the document, apart from its _id.
func (d *survey) matches(held bson.Raw) bool {
	want, err := bson.Marshal(d)
	if err != nil {
		return false
	}
	id, err := held.LookupErr("_id")
	if err != nil {
		return false
	}
	// The _id stands first: length, type, "_id", NUL, value. The rest is the same as in
	// a document without it.
	rest := 4 + 1 + len("_id") + 1 + len(id.Value)
	return rest <= len(held) && bytes.Equal(held[rest:], want[4:])
}
