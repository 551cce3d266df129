package batch

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Ticket is a claim to one document's outcome. It is a small value; copy it freely, wait on it from
// any number of goroutines, or forget it. It stays good for ever: it keeps a byte per document of its
// batch in memory, none of their bytes.
type Ticket struct {
	book  *book
	at    int32
	level Level
}

// Wait returns the document's outcome, when there is one.
//
// The error is ctx's where ctx ended first: the document is still on its way, and if it ends badly
// now, it goes to the dead letter. It is ErrLeft where the buffer closed and the document waits in
// the spool. An outcome of kind Rejected or Failed is no error.
//
// Waiting for a document that was added below level Store sends its batch off without lingering.
func (t Ticket) Wait(ctx context.Context) (Outcome, error) {
	k := t.book
	if k == nil {
		return Outcome{}, errors.New("batch: Wait on a zero Ticket")
	}
	k.mu.Lock()
	if o := k.outcome(t.at); o.Kind != 0 {
		k.mu.Unlock()
		return o.told()
	}
	k.listen(t, +1)
	k.mu.Unlock()
	if t.level != Store {
		k.buffer.want(k)
	}

	for {
		k.mu.Lock()
		o, news := k.outcome(t.at), k.subscribe(t.at)
		if o.Kind != 0 || ctx.Err() != nil {
			k.listen(t, -1)
			k.mu.Unlock()
			if o.Kind == 0 {
				return o, fmt.Errorf("batch: wait: %w", ctx.Err())
			}
			return o.told()
		}
		k.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}

// told turns the one end that is no outcome into its error.
func (o Outcome) told() (Outcome, error) {
	if o.Kind == left {
		return Outcome{}, ErrLeft
	}
	return o, nil
}

// book keeps the outcomes of one batch's documents, and who listens to them. Tickets point at it,
// and the garbage collector frees it with the last of them.
//
// Its lock comes after the buffer's: a goroutine that holds both took the buffer's first.
type book struct {
	buffer *Buffer

	// Guarded by the buffer's lock.
	size             int           // documents admitted
	open             int           // of these, not concluded
	finished         chan struct{} // closed when all are concluded; made by who wants to know
	rejected, failed int

	mu        sync.Mutex
	kinds     []Kind            // by index; as long as the highest that is decided
	details   map[int32]Outcome // of outcomes that are more than their kind
	news      []chan struct{}   // by index / newsSpan: closed when some of these are decided
	listeners map[int32]int     // below level Store: goroutines in Wait
	quit      map[int32]bool    // at level Store: Wait gave up
}

// outcome returns what is known of document at.
func (k *book) outcome(at int32) Outcome {
	if int(at) >= len(k.kinds) {
		return Outcome{}
	}
	kind := k.kinds[at]
	if o, ok := k.details[at]; ok {
		return o
	}
	return Outcome{Kind: kind}
}

// newsSpan is the number of documents that share a channel. One for each would cost each document;
// one for a whole batch would wake everybody in a large one at every part of it that is decided.
const newsSpan = 128

// subscribe returns a channel that is closed when something about document at may be decided.
func (k *book) subscribe(at int32) <-chan struct{} {
	i := int(at / newsSpan)
	if i >= len(k.news) {
		k.news = append(k.news, make([]chan struct{}, i+1-len(k.news))...)
	}
	if k.news[i] == nil {
		k.news[i] = make(chan struct{})
	}
	return k.news[i]
}

// publish wakes who waits for document at or its neighbours.
func (k *book) publish(at int32) {
	if i := int(at / newsSpan); i < len(k.news) && k.news[i] != nil {
		close(k.news[i])
		k.news[i] = nil
	}
}

// listen notes that a goroutine begins (+1) or ends (-1) to wait for t's outcome.
//
// At level Store a waiter is promised from Add on, so that a rejection which comes before Wait is
// called isn't taken for one nobody hears; only its giving up is noted.
func (k *book) listen(t Ticket, by int) {
	switch {
	case t.level != Store:
		if k.listeners == nil {
			k.listeners = make(map[int32]int)
		}
		k.listeners[t.at] += by
	case by < 0 && k.outcome(t.at).Kind == 0:
		if k.quit == nil {
			k.quit = make(map[int32]bool)
		}
		k.quit[t.at] = true
	}
}

// heard says whether somebody hears the outcome of a document.
func (k *book) heard(at int32, l Level) bool {
	return k.listeners[at] > 0 || l == Store && !k.quit[at]
}

// decide enters the outcomes of c's documents, wakes who waits, and appends to orphans the
// positions in c of those that ended badly with nobody to hear it. Both happen under one lock: a
// waiter either hears the outcome or gave up before, and then the document is an orphan.
func (k *book) decide(c *cargo, outcomes []Outcome, orphans []int) []int {
	k.mu.Lock()
	defer k.mu.Unlock()
	// Indices rise within a cargo. Another one, with higher ones, may follow.
	if n := int(c.index(len(outcomes)-1)) + 1; n > len(k.kinds) {
		k.kinds = append(k.kinds, make([]Kind, n-len(k.kinds))...)
	}
	for i, o := range outcomes {
		if o.Kind == 0 {
			continue
		}
		at := c.index(i)
		k.kinds[at] = o.Kind
		k.publish(at)
		if !o.plain() {
			if k.details == nil {
				k.details = make(map[int32]Outcome)
			}
			k.details[at] = o
		}
		if o.Kind != Stored && o.Kind != left && !k.heard(at, c.marks[i].level()) {
			orphans = append(orphans, i)
		}
	}
	return orphans
}
