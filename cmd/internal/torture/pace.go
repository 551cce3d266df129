package torture

import (
	"context"
	"sync"
	"time"
)

// slack is how far behind its schedule a pace lets the clients fall and still make
// up for it: a server that was away for longer is not met by a wave.
const slack = time.Second

// pace holds all clients together to a number of documents a second. The zero pace
// holds nobody.
type pace struct {
	each time.Duration // between two documents

	mu   sync.Mutex
	next time.Time // when the next document is due
}

func newPace(rate int) *pace {
	if rate == 0 {
		return &pace{}
	}
	return &pace{each: time.Second / time.Duration(rate)}
}

// wait returns when count documents may go out, or ctx ends.
func (p *pace) wait(ctx context.Context, count int) {
	if p.each > 0 {
		until(ctx, p.take(time.Now(), count), 0)
	}
}

// take reserves the time of count documents and returns when it begins.
func (p *pace) take(now time.Time, count int) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if oldest := now.Add(-slack); p.next.Before(oldest) {
		p.next = oldest
	}
	at := p.next
	p.next = at.Add(time.Duration(count) * p.each)
	return at
}
