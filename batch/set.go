package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrTooMany is what Set.Buffer returns when the set is full and no buffer of it is idle.
var ErrTooMany = errors.New("batch: too many buffers")

// Limits bound a Set.
type Limits struct {
	// Buffers is how many may be open at once: 1,000.
	Buffers int
	// Idle is how long a buffer must not have been asked for, with nothing pending, before it is
	// closed: 5 minutes. A full set closes idle ones earlier, but none that was asked for within
	// the last second, since the one who asked may be about to add.
	Idle time.Duration
}

// youngest is the time within which a buffer that was asked for isn't closed.
const youngest = time.Second

// Set hands out buffers by name, one for each collection, and opens them as they are asked for.
type Set struct {
	open   func(name string) (Sink, Config, error)
	limits Limits

	// members is replaced, never changed, so that Buffer reads it without a lock.
	members atomic.Pointer[map[string]*member]

	mu      sync.Mutex // of those who replace members
	sweeper *time.Timer
	closed  bool
}

// member is a place in a set. Whoever takes it opens the buffer; the others wait for that.
type member struct {
	opened sync.Once
	err    error // why there is no buffer
	buffer atomic.Pointer[Buffer]
	asked  atomic.Int64 // when it was last asked for, in Unix nanoseconds
}

// NewSet returns a set that opens buffers on the sink and with the configuration that open returns
// for a name. Config.Name is filled in if it is empty. Close the set.
func NewSet(open func(name string) (Sink, Config, error), limits Limits) *Set {
	def(&limits.Buffers, 1000)
	def(&limits.Idle, 5*time.Minute)
	s := &Set{open: open, limits: limits}
	s.members.Store(&map[string]*member{})
	return s
}

// Buffer returns the buffer called name and opens it if need be. The error is the open function's, or
// wraps ErrTooMany or ErrClosed. Ask for each request anew rather than keeping the buffer: a set may
// close one that nobody asks for.
func (s *Set) Buffer(name string) (*Buffer, error) {
	m := (*s.members.Load())[name]
	if m == nil {
		var err error
		if m, err = s.join(name); err != nil {
			return nil, err
		}
	}
	m.asked.Store(time.Now().UnixNano())
	if b := m.buffer.Load(); b != nil {
		return b, nil
	}
	m.opened.Do(func() { m.err = s.fill(name, m) })
	if m.err != nil {
		return nil, m.err
	}
	return m.buffer.Load(), nil
}

// fill opens m's buffer. If that fails, m leaves the set, so that the next request tries again. If
// the set was closed meanwhile, so is the buffer: Close has not seen it.
func (s *Set) fill(name string, m *member) error {
	b, err := s.openBuffer(name)
	s.mu.Lock()
	closed := s.closed
	switch {
	case closed && err == nil:
		err = ErrClosed
	case err == nil:
		m.buffer.Store(b)
	case (*s.members.Load())[name] == m:
		s.drop(name)
	}
	s.mu.Unlock()
	if closed && b != nil {
		_ = b.Close(context.Background()) // nobody had it yet
	}
	return err
}

func (s *Set) openBuffer(name string) (*Buffer, error) {
	sink, cfg, err := s.open(name)
	if err != nil {
		return nil, fmt.Errorf("batch: open %q: %w", name, err)
	}
	if cfg.Name == "" {
		cfg.Name = name
	}
	return Open(sink, cfg)
}

// join returns the member called name, and makes room for a new one if need be.
func (s *Set) join(name string) (*member, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.members.Load()
	switch m := old[name]; {
	case s.closed:
		return nil, ErrClosed
	case m != nil:
		return m, nil
	case len(old) >= s.limits.Buffers && !s.evict(1, youngest):
		return nil, fmt.Errorf("%w: %d are open; %q", ErrTooMany, len(old), name)
	}
	m := &member{}
	m.asked.Store(time.Now().UnixNano())
	next := maps.Clone(*s.members.Load())
	next[strings.Clone(name)] = m
	s.members.Store(&next)
	if s.sweeper == nil {
		s.sweeper = time.AfterFunc(s.limits.Idle, s.sweep)
	}
	return m, nil
}

func (s *Set) drop(names ...string) {
	next := maps.Clone(*s.members.Load())
	for _, name := range names {
		delete(next, name)
	}
	s.members.Store(&next)
}

// sweep closes buffers that are idle for long, now and then.
func (s *Set) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.evict(len(*s.members.Load()), s.limits.Idle)
	s.sweeper.Reset(s.limits.Idle)
}

// idle says that the buffer is open and has nothing to do.
func (m *member) idle() bool {
	b := m.buffer.Load()
	return b != nil && b.Stats().Pending == 0
}

// evict takes up to n buffers out of the set and closes them: the longest idle first, none that was
// asked for within age or has anything pending. It says whether it found one. The lock is held.
func (s *Set) evict(n int, age time.Duration) bool {
	before := time.Now().Add(-age).UnixNano()
	members := *s.members.Load()
	var idle []string
	for name, m := range members {
		if m.asked.Load() < before && m.idle() {
			idle = append(idle, name)
		}
	}
	slices.SortFunc(idle, func(a, b string) int {
		return cmp.Compare(members[a].asked.Load(), members[b].asked.Load())
	})
	idle = idle[:min(n, len(idle))]
	if len(idle) == 0 {
		return false
	}
	s.drop(idle...)
	for _, name := range idle {
		// Nothing was pending, so that this takes no longer than an Add that came in between.
		go members[name].buffer.Load().Close(context.Background())
	}
	return true
}

// Each calls f for every open buffer, in the order of their names.
func (s *Set) Each(f func(*Buffer)) {
	members := *s.members.Load()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if b := members[name].buffer.Load(); b != nil {
			f(b)
		}
	}
}

// Stats returns those of every open buffer, in the order of their names.
func (s *Set) Stats() []Stats {
	var all []Stats
	s.Each(func(b *Buffer) { all = append(all, b.Stats()) })
	return all
}

// Flush flushes every buffer, all at once, and joins their errors.
func (s *Set) Flush(ctx context.Context) error {
	return s.every(func(b *Buffer) error { return b.Flush(ctx) })
}

// Close closes every buffer, all at once, and joins their errors, each *Undelivered. The set hands
// out none afterwards.
func (s *Set) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	if s.sweeper != nil {
		s.sweeper.Stop()
	}
	s.mu.Unlock()
	return s.every(func(b *Buffer) error { return b.Close(ctx) })
}

func (s *Set) every(f func(*Buffer) error) error {
	var (
		mu   sync.Mutex
		errs []error
		all  sync.WaitGroup
	)
	s.Each(func(b *Buffer) {
		all.Go(func() {
			err := f(b)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	})
	all.Wait()
	return errors.Join(errs...)
}
