package torture

import (
	"maps"
	"net/http"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// answer is how a document was answered.
type answer uint8

const (
	unanswered answer = iota
	refused
	accepted
)

// entry is what the ledger keeps of a document: its number is its place.
type entry struct {
	answer answer
	where  uint8         // the collection it was sent to
	id     bson.ObjectID // that the answer named, where the server made it
}

// ledger is what the clients know.
type ledger struct {
	mu       sync.Mutex
	entries  []entry
	accepted int
	statuses map[int]int // answers by HTTP status, one for each document
}

func newLedger() *ledger { return &ledger{statuses: make(map[int]int)} }

// take numbers the next count documents, which go to one collection, and returns the
// first number.
func (l *ledger) take(where, count int) (first int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first = len(l.entries)
	for range count {
		l.entries = append(l.entries, entry{where: uint8(where)})
	}
	return first
}

// note enters an answer. The last one of a document counts, but nothing takes back
// that it was accepted.
func (l *ledger) note(n, status int, a answer, id bson.ObjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statuses[status]++
	e := &l.entries[n]
	if e.answer == accepted {
		return
	}
	e.answer, e.id = a, id
	if a == accepted {
		l.accepted++
	}
}

// sum returns how many documents were sent and how many accepted.
func (l *ledger) sum() (sent, taken int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries), l.accepted
}

// refusals returns how many documents were answered 503.
func (l *ledger) refusals() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.statuses[http.StatusServiceUnavailable]
}

// close returns the entries and the statuses, once no more is noted.
func (l *ledger) close() ([]entry, map[int]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries, maps.Clone(l.statuses)
}
