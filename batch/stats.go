package batch

import (
	"math/bits"
	"time"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// Stats is a picture of a buffer at one moment. Counters count from Open.
//
// Accepted is the sum of Stored, Rejected, Failed, Left and Pending. Pending runs ahead of that sum by
// the documents that have their room and are on their way into the spool.
type Stats struct {
	Name         string
	Pending      int   // documents without an outcome
	PendingBytes int64 // their bytes
	Open         int   // documents in the open batch
	Ready        int   // batches that are closed and not yet tried
	Flying       int   // batches under way
	Retrying     int   // batches that wait for another attempt
	Size         int   // the batch size in force
	Down         bool  // the store is known to be down
	LastFault    string

	Accepted uint64 // documents admitted, those replayed from the spool included
	Replayed uint64 // documents out of an earlier process's spool
	Stored   uint64
	Rejected uint64
	Failed   uint64
	Left     uint64 // left in the spool by Close

	DeadLettered uint64 // bad outcomes that the dead letter took
	Lost         uint64 // bad outcomes with nobody to hear them and no dead letter to take them

	RefusedFull, RefusedDown, RefusedClosed, RefusedSpool uint64 // documents not admitted

	Batches   uint64 // attempts that the server answered
	Retried   uint64 // documents sent again
	Splits    uint64 // batches split to find the document at fault
	Ambiguous uint64 // attempts without an answer
	Unsent    uint64 // attempts that found no server
	Refused   uint64 // attempts refused as a whole

	BatchSizes Histogram // documents in an answered batch
	Latency    Histogram // microseconds that an answered batch took

	Spool *spool.Stats // nil without a spool
	Auto  *AutoStats   // nil unless Config.Size is Auto
}

// Histogram counts values by their binary order of magnitude: Counts[i] is the number of values v
// with 2^(i-1) <= v < 2^i; Counts[0] that of zeros.
type Histogram struct {
	Counts [40]uint64
	Sum    uint64
}

// Upper returns the largest value that Counts[i] counts.
func (Histogram) Upper(i int) uint64 { return 1<<i - 1 }

func (h *Histogram) add(v uint64) {
	h.Counts[min(bits.Len64(v), len(h.Counts)-1)]++
	h.Sum += v
}

// counts is what a buffer counts. The buffer's lock guards it.
type counts struct {
	accepted, replayed                                    uint64
	stored, rejected, failed, left                        uint64
	buried, lost                                          uint64
	refusedFull, refusedDown, refusedClosed, refusedSpool uint64
	batches, retried, splits                              uint64
	faults                                                [Refused + 1]uint64
	sizes, latency                                        Histogram
}

// answer counts an attempt that the server answered.
func (n *counts) answer(docs int, took time.Duration) {
	n.batches++
	n.sizes.add(uint64(docs))
	n.latency.add(uint64(took.Microseconds()))
}

// add counts concluded documents.
func (n *counts) add(t tally) {
	n.stored += uint64(t.stored)
	n.rejected += uint64(t.rejected)
	n.failed += uint64(t.failed)
	n.left += uint64(t.left)
	n.buried += uint64(t.buried)
	n.lost += uint64(t.lost)
}

// tally is the sum of one cargo's outcomes.
type tally struct {
	n                              int   // documents concluded
	bytes                          int64 // theirs
	stored, rejected, failed, left int
	again                          int // undecided
	buried, kept, lost             int // bad ones nobody heard: in the dead letter, still in the spool, nowhere
}

// tallyOf adds up the outcomes of c. orphans are those nobody heard; of these, unwritten are the
// ones that the dead letter did not take either.
func tallyOf(c *cargo, outcomes []Outcome, orphans, unwritten []int) tally {
	t := tally{lost: len(unwritten), buried: len(orphans) - len(unwritten)}
	for i, o := range outcomes {
		switch o.Kind {
		case 0:
			t.again++
			continue
		case Stored:
			t.stored++
		case Rejected:
			t.rejected++
		case Failed:
			t.failed++
		case left:
			t.left++
		}
		t.n++
		t.bytes += int64(len(c.docs[i]))
	}
	return t
}

// Stats returns the buffer's state and counters.
func (b *Buffer) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := &b.counts
	s := Stats{
		Name: b.cfg.Name, Pending: b.pending, PendingBytes: b.bytes, Ready: b.ready.n,
		Flying: len(b.flying), Retrying: len(b.retries), Size: b.size, Down: b.health.isDown,
		Accepted: n.accepted, Replayed: n.replayed, Stored: n.stored, Rejected: n.rejected,
		Failed: n.failed, Left: n.left, DeadLettered: n.buried, Lost: n.lost,
		RefusedFull: n.refusedFull, RefusedDown: n.refusedDown, RefusedClosed: n.refusedClosed, RefusedSpool: n.refusedSpool,
		Batches: n.batches, Retried: n.retried, Splits: n.splits,
		Ambiguous: n.faults[Ambiguous], Unsent: n.faults[Unsent], Refused: n.faults[Refused],
		BatchSizes: n.sizes, Latency: n.latency,
	}
	if b.open != nil {
		s.Open = len(b.open.docs)
	}
	if b.auto != nil {
		s.Auto = b.auto.stats()
	}
	if b.log != nil {
		disk := b.log.Stats()
		s.Spool = &disk
	}
	if b.health.cause != nil {
		s.LastFault = b.health.cause.Error()
	}
	return s
}
