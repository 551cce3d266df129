package torture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Sums is what the ledger and the database say of each other.
type Sums struct {
	Stored           int // documents in the database
	Lost             int
	Duplicated       int
	Altered          int
	Foreign          int
	StoredUnanswered int // the clients do not know
	StoredRefused    int // after a 504, or a second attempt of their own
	Examples         []string
}

// Report is the outcome of a run.
type Report struct {
	Seed  uint64
	Level string
	Took  time.Duration // of the load

	Kills       int
	Faults      map[string]int // by kind
	FullDisks   int
	RefusedFull int // documents, while the disk was full

	Sent, Accepted int
	Statuses       map[int]int   // by HTTP status
	Settled        time.Duration // from the load's end to the server's
	Undelivered    int           // documents on their way when the ledger was closed
	Sums
}

// OK says whether no promise was broken.
func (r *Report) OK() bool {
	return r.Undelivered == 0 && r.Lost == 0 && r.Duplicated == 0 && r.Altered == 0 && r.Foreign == 0
}

// String is the report in lines of text.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed          %d\n", r.Seed)
	fmt.Fprintf(&b, "level         %s, %s\n", r.Level, r.Took.Round(time.Second))
	fmt.Fprintf(&b, "kills         %d\n", r.Kills)
	fmt.Fprintf(&b, "faults        %s\n", counts(r.Faults))
	if r.FullDisks > 0 {
		fmt.Fprintf(&b, "full disks    %d, %d documents refused meanwhile\n", r.FullDisks, r.RefusedFull)
	}
	fmt.Fprintf(&b, "documents     %d sent, %d answered 2xx\n", r.Sent, r.Accepted)
	fmt.Fprintf(&b, "answers       %s\n", counts(r.Statuses))
	fmt.Fprintf(&b, "settled       in %s, %d not delivered\n", r.Settled.Round(time.Second), r.Undelivered)
	fmt.Fprintf(&b, "stored        %d, of these %d unanswered and %d refused\n", r.Stored, r.StoredUnanswered, r.StoredRefused)
	fmt.Fprintf(&b, "lost          %d\n", r.Lost)
	fmt.Fprintf(&b, "duplicated    %d\n", r.Duplicated)
	fmt.Fprintf(&b, "altered       %d\n", r.Altered)
	if r.Foreign > 0 {
		fmt.Fprintf(&b, "foreign       %d\n", r.Foreign)
	}
	for _, e := range r.Examples {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	return b.String()
}

// counts lists a map in the order of its keys, as "201: 7, 503: 1".
func counts[K int | string](m map[K]int) string {
	if len(m) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%v: %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}
