package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The framework's defaults, and the baseline's.
const (
	linger   = 5 * time.Millisecond
	inflight = 2
)

// buffer gathers documents by collection: a mutex and a slice, as an app would have them.
type buffer struct {
	size   int
	insert func(collection string, docs []any) error
	slots  chan struct{} // one token for each insert under way

	mu      sync.Mutex
	open    map[string]*batch
	faults  []error
	flights sync.WaitGroup
}

type batch struct {
	docs  []any
	timer *time.Timer
}

func newBuffer(size int, insert func(string, []any) error) *buffer {
	return &buffer{size: size, insert: insert, slots: make(chan struct{}, inflight), open: map[string]*batch{}}
}

// add keeps doc. Who fills a batch waits for a free slot to send it.
func (b *buffer) add(collection string, doc any) {
	b.mu.Lock()
	g := b.open[collection]
	if g == nil {
		g = &batch{docs: make([]any, 0, b.size)}
		g.timer = time.AfterFunc(linger, func() { b.send(collection, g) })
		b.open[collection] = g
	}
	g.docs = append(g.docs, doc)
	full := len(g.docs) >= b.size
	b.mu.Unlock()
	if full {
		b.send(collection, g)
	}
}

// send takes g from the open ones, unless somebody else has, and inserts it in the background.
func (b *buffer) send(collection string, g *batch) {
	b.mu.Lock()
	if b.open[collection] != g {
		b.mu.Unlock()
		return
	}
	delete(b.open, collection)
	g.timer.Stop()
	b.flights.Add(1)
	b.mu.Unlock()
	b.slots <- struct{}{}
	go func() {
		defer b.flights.Done()
		err := b.insert(collection, g.docs)
		<-b.slots
		if err != nil {
			b.mu.Lock()
			b.faults = append(b.faults, fmt.Errorf("%d documents for %q: %w", len(g.docs), collection, err))
			b.mu.Unlock()
		}
	}()
}

// close sends what is left, and waits for it or for ctx. No add may come after it.
func (b *buffer) close(ctx context.Context) error {
	b.mu.Lock()
	rest := make(map[string]*batch, len(b.open))
	for collection, g := range b.open {
		rest[collection] = g
	}
	b.mu.Unlock()
	done := make(chan struct{})
	go func() {
		for collection, g := range rest {
			b.send(collection, g)
		}
		b.flights.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.faults...)
}
