package middleware

import (
	"sync"
	"time"
)

// buckets is a bounded table of token buckets, a client's being found by a 64-bit hash.
//
// A bucket is one number, its debt: the time at which it will be full again. A token costs
// interval; a bucket that is full at full has, at now, Burst - (full-now)/interval tokens. Nothing
// has to flow back by itself, and a bucket whose time is past is the same as one that was never
// there.
//
// Buckets stand in a ring in the order of their last use. When the table is full, the one that was
// used longest ago makes room: of all it is the likeliest to be full again.
type buckets struct {
	interval time.Duration // what one token takes to flow back
	depth    time.Duration // what Burst tokens take
	limit    int

	mu      sync.Mutex
	index   map[uint64]int32
	entries []bucket // entries[0] is the ring's anchor: next is the newest, prev the oldest
}

type bucket struct {
	client     uint64
	full       time.Time
	next, prev int32
}

// newBuckets takes what makes sense of its arguments: a rate between one a day and one a
// nanosecond, and as many tokens and clients as can be counted.
func newBuckets(rate float64, burst, clients int) *buckets {
	const slowest, longest = 24 * time.Hour, 1 << 62
	interval := slowest
	if apart := float64(time.Second) / rate; apart < float64(slowest) {
		interval = max(time.Duration(apart), 1)
	}
	return &buckets{
		interval: interval,
		depth:    interval * min(time.Duration(burst), longest/interval),
		limit:    min(clients, 1<<24),
		index:    make(map[uint64]int32),
		entries:  make([]bucket, 1, 64),
	}
}

// take takes a token out of the client's bucket. Where there is none it takes nothing, and returns
// how long the client has to wait for one.
func (b *buckets) take(client uint64, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.of(client)
	full := e.full
	if full.Before(now) {
		full = now
	}
	full = full.Add(b.interval)
	if wait := full.Sub(now) - b.depth; wait > 0 {
		return wait
	}
	e.full = full
	return 0
}

// of returns the client's bucket, a full one if it had none, and makes it the newest.
func (b *buckets) of(client uint64) *bucket {
	i, ok := b.index[client]
	switch {
	case ok:
		b.unlink(i)
	case len(b.entries) <= b.limit:
		i = int32(len(b.entries))
		b.entries = append(b.entries, bucket{})
	default:
		i = b.entries[0].prev
		b.unlink(i)
		delete(b.index, b.entries[i].client)
	}
	if !ok {
		b.index[client] = i
		b.entries[i] = bucket{client: client}
	}
	b.linkNewest(i)
	return &b.entries[i]
}

func (b *buckets) unlink(i int32) {
	e := &b.entries[i]
	b.entries[e.prev].next = e.next
	b.entries[e.next].prev = e.prev
}

func (b *buckets) linkNewest(i int32) {
	anchor, e := &b.entries[0], &b.entries[i]
	e.prev, e.next = 0, anchor.next
	b.entries[anchor.next].prev = i
	anchor.next = i
}
