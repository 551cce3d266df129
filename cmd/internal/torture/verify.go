package torture

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// examples is how many faults of each kind the report describes.
const examples = 5

// verify holds all collections against the ledger.
func verify(ctx context.Context, db *mongo.Database, seed uint64, entries []entry) (Sums, error) {
	var s Sums
	seen := make([]uint8, len(entries))
	for where := range collections {
		cursor, err := db.Collection(collection(where)).Find(ctx, bson.D{})
		if err != nil {
			return s, fmt.Errorf("torture: read the database: %w", err)
		}
		for cursor.Next(ctx) {
			s.check(cursor.Current, where, seed, entries, seen)
		}
		if err := errors.Join(cursor.Err(), cursor.Close(ctx)); err != nil {
			return s, fmt.Errorf("torture: read the database: %w", err)
		}
	}
	for n, e := range entries {
		switch {
		case e.answer == accepted && seen[n] == 0:
			s.Lost++
			s.example("lost: document %d, _id %s", n, name(seed, n, e))
		case seen[n] > 1:
			s.Duplicated++
			s.example("duplicated: document %d is there %d times", n, seen[n])
		case seen[n] == 1 && e.answer == unanswered:
			s.StoredUnanswered++
		case seen[n] == 1 && e.answer == refused:
			s.StoredRefused++
		}
	}
	return s, nil
}

// check looks at one document that the database holds.
func (s *Sums) check(held bson.Raw, where int, seed uint64, entries []entry, seen []uint8) {
	s.Stored++
	number, ok := held.Lookup("n").Int32OK()
	n := int(number)
	if !ok || n < 0 || n >= len(entries) {
		s.Foreign++
		s.example("foreign: %v", held)
		return
	}
	if seen[n] < 255 {
		seen[n]++
	}
	d := document(seed, n)
	if int(entries[n].where) != where || !d.matches(held) || !sameID(held.Lookup("_id"), seed, n, entries[n]) {
		s.Altered++
		s.example("altered: document %d is %v", n, held)
	}
}

// sameID says whether a stored _id is the one that the client knows.
func sameID(id bson.RawValue, seed uint64, n int, e entry) bool {
	if chosen(n) {
		s, ok := id.StringValueOK()
		return ok && s == idOf(seed, n) && e.id.IsZero()
	}
	o, ok := id.ObjectIDOK()
	return ok && (e.answer != accepted || o == e.id)
}

func name(seed uint64, n int, e entry) string {
	if chosen(n) {
		return idOf(seed, n)
	}
	return e.id.Hex()
}

func (s *Sums) example(format string, args ...any) {
	if len(s.Examples) < examples {
		s.Examples = append(s.Examples, fmt.Sprintf(format, args...))
	}
}
