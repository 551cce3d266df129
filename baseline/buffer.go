package baseline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

var errClosed = errors.New("baseline: the server is closing")

// buffer gathers documents by collection and sends them in batches.
type buffer struct {
	size   int
	linger time.Duration
	insert func(collection string, docs []any) (lost int)
	slots  chan struct{} // one token for each insert under way

	mu      sync.Mutex
	open    map[string]*gathering
	closed  bool
	pending int // added, and neither stored nor lost yet
	lost    int
	flights sync.WaitGroup
}

// gathering is the batch of one collection that is not full yet.
type gathering struct {
	docs  []any
	timer *time.Timer
}

func newBuffer(size int, linger time.Duration, inflight int, insert func(string, []any) int) *buffer {
	return &buffer{
		size: size, linger: linger, insert: insert,
		slots: make(chan struct{}, inflight),
		open:  make(map[string]*gathering),
	}
}

// add keeps doc for the collection. The caller that fills a batch waits for a free slot to send it.
func (b *buffer) add(collection string, doc bson.Raw) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return errClosed
	}
	g := b.open[collection]
	if g == nil {
		g = &gathering{docs: make([]any, 0, b.size)}
		// The timer names its own gathering: if that was sent full in the meantime, another may
		// stand in its place, and has a timer of its own.
		g.timer = time.AfterFunc(b.linger, func() { b.expire(collection, g) })
		b.open[collection] = g
	}
	g.docs = append(g.docs, doc)
	b.pending++
	full := len(g.docs) >= b.size
	if full {
		b.take(collection, g)
	}
	b.mu.Unlock()
	if full {
		b.send(collection, g.docs)
	}
	return nil
}

// take removes g from the open ones. b.mu is held. The flight is registered before the lock is
// released, so that close, which takes the lock first, waits for it.
func (b *buffer) take(collection string, g *gathering) {
	delete(b.open, collection)
	g.timer.Stop()
	b.flights.Add(1)
}

func (b *buffer) expire(collection string, g *gathering) {
	b.mu.Lock()
	mine := b.open[collection] == g
	if mine {
		b.take(collection, g)
	}
	b.mu.Unlock()
	if mine {
		b.send(collection, g.docs)
	}
}

// send waits for a slot, then inserts in the background.
func (b *buffer) send(collection string, docs []any) {
	b.slots <- struct{}{}
	go func() {
		lost := b.insert(collection, docs)
		<-b.slots
		b.mu.Lock()
		b.pending -= len(docs)
		b.lost += lost
		b.mu.Unlock()
		b.flights.Done()
	}()
}

// close sends what is left, and waits for all inserts or for ctx. What is still under way when
// ctx ends counts as lost.
func (b *buffer) close(ctx context.Context) (lost int, err error) {
	b.mu.Lock()
	b.closed = true
	rest := b.open
	b.open = nil // add looks at closed first
	for collection, g := range rest {
		b.take(collection, g)
	}
	b.mu.Unlock()

	done := make(chan struct{})
	go func() {
		for collection, g := range rest {
			b.send(collection, g.docs)
		}
		b.flights.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		err = fmt.Errorf("baseline: batches still under way: %w", ctx.Err())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost + b.pending, err
}
