package batch

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// Buffer is the write buffer of one collection. All its methods may be called from any goroutine.
//
// It has one lock, held for as long as it takes to copy a small document. Under it a document joins
// the open batch; a batch that is due is handed to a flusher, a goroutine that lives as long as
// there is something to send. An idle buffer has no goroutine at all.
type Buffer struct {
	sink   Sink
	cfg    Config
	log    *spool.Log      // nil without Config.Dir
	base   context.Context // of every attempt
	cancel context.CancelFunc

	mu       sync.Mutex
	arena    arena
	spare    sync.Pool // *cargo
	open     *cargo    // takes documents; nil while it would be empty
	ready    fifo      // sealed, not yet tried
	retries  retryHeap // tried, and to be tried again
	flying   map[*cargo]struct{}
	books    map[*book]struct{} // with documents that have no outcome yet
	size     int                // of a batch that is sent: Config.Size, or what Auto has found
	most     int                // of a batch that is open: with Auto more, to be cut when it is sent
	auto     *auto              // nil without
	flushers int
	health   health
	alarm    alarm

	pending int   // documents admitted, or let in and not yet in a batch, and not concluded
	bytes   int64 // theirs
	room    waitlist
	counts  counts

	entering int           // Adds that were let in and don't hold the lock, and the replay
	entered  chan struct{} // made by Close; closed when entering is 0
	stop     chan struct{} // closed when Close begins
	roomy    chan struct{} // made by the replay; closed when there is room for it
	replayed chan struct{} // closed when the replay is through, or stopped
	closing  bool          // no more is let in
	over     bool          // Close gave up on what is left
	drained  chan struct{} // made by Close; closed when pending is 0
	closed   chan struct{} // closed when Close is through
	closeErr error

	undelivered *Undelivered // what Close gave up on; nil before
}

// Entry says how one document is to be treated.
type Entry struct {
	// Level is when Add returns and who hears the outcome. Zero: the buffer's.
	Level Level
	// Chosen says that the client chose _id, so that a duplicate of it can be somebody else's.
	Chosen bool
	// Repeat says that the same document may be sent again and again: an _id that exists means stored.
	Repeat bool
}

// Open returns a buffer in front of sink. Close it.
func Open(sink Sink, cfg Config) (*Buffer, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Buffer{
		sink:   sink,
		cfg:    cfg,
		size:   cfg.Size,
		most:   cfg.Size,
		flying: make(map[*cargo]struct{}),
		books:  make(map[*book]struct{}),
		stop:   make(chan struct{}),
		closed: make(chan struct{}),
	}
	b.base, b.cancel = context.WithCancel(context.Background())
	b.alarm.ring = b.wake
	if cfg.Size == Auto {
		b.auto = newAuto(&cfg)
		b.size, b.most = b.auto.force(), b.auto.most
	}
	if cfg.Dir != "" {
		if err := b.openSpool(); err != nil {
			b.cancel()
			return nil, err
		}
	}
	return b, nil
}

// Add admits one BSON document at the buffer's level; see AddWith.
func (b *Buffer) Add(doc []byte) (Ticket, error) { return b.AddWith(doc, Entry{}) }

// AddWith copies one BSON document into the buffer. With a nil error it is kept, at the entry's
// level, and will have exactly one outcome. The error wraps ErrFull, ErrDown, ErrClosed, ErrTooLarge,
// ErrInvalid, ErrNoSpool or ErrSpool, and then nothing was kept.
func (b *Buffer) AddWith(doc []byte, e Entry) (Ticket, error) {
	m, err := b.markOf(e)
	if err != nil {
		return Ticket{}, err
	}
	if err := check(doc); err != nil {
		return Ticket{}, err
	}
	own := large(doc)

	b.mu.Lock()
	if err := b.reserve(1, int64(len(doc)), m.level()); err != nil {
		b.mu.Unlock()
		return Ticket{}, b.refused(err, 1)
	}
	var seq uint64
	if m.level() == Spool {
		record := [1]spool.Record{{Flags: m.flags(), Doc: doc}}
		if err := b.write(record[:], 1, int64(len(doc))); err != nil {
			b.mu.Unlock()
			return Ticket{}, b.refused(err, 1)
		}
		seq = record[0].Pos
	}
	t := b.put(doc, own, m, seq)
	b.joined()
	b.mu.Unlock()
	return t, nil
}

// AddAll admits all of the documents, in their order, or none, and appends their tickets to tickets.
// Its errors are those of AddWith.
func (b *Buffer) AddAll(docs [][]byte, e Entry, tickets []Ticket) ([]Ticket, error) {
	return b.addAll(docs, func(int) Entry { return e }, tickets)
}

// AddEach is AddAll with an entry for each document.
func (b *Buffer) AddEach(docs [][]byte, entries []Entry, tickets []Ticket) ([]Ticket, error) {
	if len(docs) != len(entries) {
		return tickets, fmt.Errorf("batch: AddEach: %d documents, %d entries", len(docs), len(entries))
	}
	return b.addAll(docs, func(i int) Entry { return entries[i] }, tickets)
}

func (b *Buffer) addAll(docs [][]byte, entry func(int) Entry, tickets []Ticket) ([]Ticket, error) {
	if len(docs) == 0 {
		return tickets, nil
	}
	all, err := b.prepare(docs, entry)
	if err != nil {
		return tickets, err
	}
	b.mu.Lock()
	err = b.reserve(len(docs), all.size, all.strictest)
	if err == nil && len(all.records) > 0 {
		err = b.write(all.records, len(docs), all.size)
	}
	if err != nil {
		b.mu.Unlock()
		return tickets, b.refused(err, len(docs))
	}
	records := all.records
	for i, doc := range docs {
		var seq uint64
		if all.marks[i].level() == Spool {
			seq, records = records[0].Pos, records[1:]
		}
		tickets = append(tickets, b.put(doc, all.own[i], all.marks[i], seq))
	}
	b.joined()
	b.mu.Unlock()
	return tickets, nil
}

// prepared is what can be done for the documents of one call before the lock is taken.
type prepared struct {
	marks     []mark
	own       [][]byte       // copies of the large ones
	records   []spool.Record // for the spool
	size      int64
	strictest Level
}

func (b *Buffer) prepare(docs [][]byte, entry func(int) Entry) (prepared, error) {
	p := prepared{marks: make([]mark, len(docs)), own: make([][]byte, len(docs))}
	for i, doc := range docs {
		m, err := b.markOf(entry(i))
		if err == nil {
			err = check(doc)
		}
		if err != nil {
			return p, fmt.Errorf("document %d: %w", i, err)
		}
		p.marks[i], p.own[i] = m, large(doc)
		p.size += int64(len(doc))
		p.strictest = max(p.strictest, m.level())
		if m.level() == Spool {
			p.records = append(p.records, spool.Record{Flags: m.flags(), Doc: doc})
		}
	}
	return p, nil
}

// markOf packs an entry, with the buffer's level filled in.
func (b *Buffer) markOf(e Entry) (mark, error) {
	if e.Level == 0 {
		e.Level = b.cfg.Level
	}
	m := mark(e.Level)
	switch {
	case e.Level > Store:
		return 0, fmt.Errorf("batch: Level %d: there are three", e.Level)
	case e.Level == Spool && b.cfg.Dir == "":
		return 0, ErrNoSpool
	}
	if e.Chosen {
		m |= chosen
	}
	if e.Repeat {
		m |= repeat
	}
	return m, nil
}

// check looks at what would break the whole message: the length prefix and the last byte. What is
// between them is the business of who built the document, and of the server.
func check(doc []byte) error {
	switch n := len(doc); {
	case n > MaxDocument:
		return fmt.Errorf("%w: a document of %d bytes, at most %d", ErrTooLarge, n, MaxDocument)
	case n < 5 || binary.LittleEndian.Uint32(doc) != uint32(n) || doc[n-1] != 0:
		return fmt.Errorf("%w: %d bytes that begin with % x", ErrInvalid, n, doc[:min(n, 4)])
	}
	return nil
}

// large returns a copy of a document that is too large to be copied under the lock, or nil.
func large(doc []byte) []byte {
	if len(doc) < largeSize {
		return nil
	}
	return bytes.Clone(doc)
}

// put adds a document for which there is room to the open batch, and closes the batch when it is
// full. own, if not nil, is a copy of doc to keep.
func (b *Buffer) put(doc, own []byte, m mark, seq uint64) Ticket {
	if c := b.open; c != nil && (c.bytes+len(doc) > b.cfg.Bytes || b.stale(c)) {
		b.seal()
	}
	c := b.open
	if c == nil {
		c = b.begin()
	}
	if own == nil {
		own = b.arena.copy(c, doc)
	}
	c.add(own, m, seq)
	if m.level() == Store {
		c.wanted = true
	}
	b.counts.accepted++

	k := c.book
	t := Ticket{book: k, at: int32(k.size), level: m.level()}
	k.size++
	k.open++
	if len(c.docs) >= b.most || c.bytes >= b.cfg.Bytes {
		b.seal()
	}
	return t
}

// begin opens a batch.
func (b *Buffer) begin() *cargo {
	c := b.empty()
	c.book = &book{buffer: b}
	c.since = time.Now()
	b.books[c.book] = struct{}{}
	b.open = c
	return c
}

// empty returns a cargo with nothing in it.
func (b *Buffer) empty() *cargo {
	if c, _ := b.spare.Get().(*cargo); c != nil {
		return c
	}
	n := min(b.size, 128)
	return &cargo{docs: make([][]byte, 0, n), marks: make([]mark, 0, n)}
}

// seal closes the open batch, if there is one, and queues it.
func (b *Buffer) seal() {
	if b.open == nil {
		return
	}
	b.ready.push(b.open)
	b.open = nil
}

// stale says that a batch has been open for so long that with one more document its deadline,
// which is that of its first, would no longer fit its last.
func (b *Buffer) stale(c *cargo) bool {
	return b.cfg.Deadline > 0 && time.Since(c.since) > b.cfg.Deadline/10
}

// want notes that somebody waits for a document of k. If its batch is still open, it goes as soon as
// a flusher is idle.
func (b *Buffer) want(k *book) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil && b.open.book == k {
		b.hurry()
	}
}

// hurry sends the open batch as soon as a flusher is idle.
func (b *Buffer) hurry() {
	if b.open != nil && !b.open.wanted {
		b.open.wanted = true
		b.kick()
	}
}

// refused counts and reports documents that were not let in.
func (b *Buffer) refused(err error, n int) error {
	if b.cfg.Hooks.Refused != nil {
		b.cfg.Hooks.Refused(b.cfg.Name, n, err)
	}
	if b.cfg.Name == "" {
		return err
	}
	return fmt.Errorf("%w (collection %q)", err, b.cfg.Name)
}
