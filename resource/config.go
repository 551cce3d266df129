package resource

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/router/middleware"
	"github.com/rapidrest/rapidrest/store"
)

// Config says what Mount serves and how. Buffers is required; every other field has a
// default, which its comment names.
type Config struct {
	// Buffers hands out the write buffer of a collection; every POST goes through it.
	Buffers *batch.Set
	// Store answers GET, PUT, PATCH and DELETE. Without it only POST is mounted, so that an
	// app can put a sink of its own behind the buffers.
	Store *store.Store

	// Allow says which collections are served; nil: every one. Names that are not
	// ValidCollection never are, whatever it says. AllowOnly makes one of a list.
	Allow func(collection string) bool

	// Level is when a POST is answered, unless the client says otherwise: batch.Store by
	// default. Level batch.Spool needs buffers that have a spool.
	Level batch.Level
	// AsyncLevel is the level of "Prefer: respond-async" where Level is batch.Store:
	// batch.Accept by default. Set it to batch.Spool where the buffers have a spool.
	AsyncLevel batch.Level
	// Wait bounds how long a POST waits for its outcome where the client names no time: 30 s
	// by default, kept to within a second. Past it the answer is 504, and the document is
	// still on its way.
	Wait time.Duration
	// Timeout bounds one operation on the store other than an insert: 10 s by default.
	Timeout time.Duration

	// MaxBulk bounds the documents of one POST: 10,000 by default. More are 413.
	MaxBulk int
	// MaxPage bounds the BSON of one page of a listing, in bytes: 16 MiB by default. A page
	// ends before the document that would exceed it, and links to the next.
	MaxPage int

	// MaxInflated bounds a body after its Content-Encoding is taken off, in bytes: 64 MiB by
	// default. What comes over the wire, the server bounds.
	MaxInflated int

	// Document says how JSON becomes a document: big numbers, Extended JSON. Its Limits are
	// taken from Store where there is one. NewID is honoured.
	Document document.Options
	// RequireIfMatch answers 428 to PUT, PATCH and DELETE without If-Match. A PUT that is
	// to create says "If-None-Match: *".
	RequireIfMatch bool
	// Validate is shown each document before it is stored, as JSON, and says what is wrong
	// with it; nil: nothing. Its error is answered with 422 and shown to the client. It
	// runs on many goroutines at once and must not keep doc. A generated _id is not in doc.
	Validate func(collection string, doc []byte) error
}

// Routes is what Mount registers on: a *router.Table or a *router.Group.
type Routes interface {
	Get(pattern string, h router.Handler, mw ...router.Middleware) *router.Route
	Post(pattern string, h router.Handler, mw ...router.Middleware) *router.Route
	Put(pattern string, h router.Handler, mw ...router.Middleware) *router.Route
	Patch(pattern string, h router.Handler, mw ...router.Middleware) *router.Route
	Delete(pattern string, h router.Handler, mw ...router.Middleware) *router.Route
}

// Mount registers the routes of collections under prefix, a pattern that ends in a segment
// {collection}. The middleware is put around each of them. The error says what is missing
// in cfg; what is wrong with the pattern itself, the table's Compile says.
func Mount(routes Routes, prefix string, cfg Config, mw ...router.Middleware) error {
	if cfg.Buffers == nil {
		return errors.New("resource: Mount: no Buffers")
	}
	if cfg.Level > batch.Store || cfg.AsyncLevel > batch.Spool {
		return fmt.Errorf("resource: Mount: level %v, async level %v", cfg.Level, cfg.AsyncLevel)
	}
	m := &mount{Config: cfg}
	m.fill()
	mw = append(slices.Clone(mw), middleware.Decompress(m.MaxInflated))
	post := routes.Post(prefix, m.create, mw...)
	if m.collection = post.Slot("collection"); m.collection < 0 {
		return fmt.Errorf("resource: Mount: the prefix %q has no {collection}", prefix)
	}
	if cfg.Store == nil {
		return nil
	}
	one := prefix + "/{id}"
	routes.Get(prefix, m.list, mw...)
	m.id = routes.Get(one, m.get, mw...).Slot("id")
	routes.Put(one, m.put, mw...)
	routes.Patch(one, m.patch, mw...)
	routes.Delete(one, m.delete, mw...)
	return nil
}

// mount is one call of Mount: its configuration, filled in, and what its handlers share.
type mount struct {
	Config
	collection, id int // slots

	horizon horizon
	keys    keyring
	scratch scratchPool
	changes stripes
	outage  outage
	current atomic.Pointer[document.Options]
}

func (m *mount) fill() {
	if m.Level == 0 {
		m.Level = batch.Store
	}
	if m.AsyncLevel == 0 {
		m.AsyncLevel = batch.Accept
	}
	if m.Wait <= 0 {
		m.Wait = 30 * time.Second
	}
	if m.Timeout <= 0 {
		m.Timeout = 10 * time.Second
	}
	if m.MaxBulk <= 0 {
		m.MaxBulk = 10_000
	}
	if m.MaxPage <= 0 {
		m.MaxPage = 16 << 20
	}
	if m.MaxInflated <= 0 {
		m.MaxInflated = 64 << 20
	}
	m.horizon.span = m.Wait
	m.current.Store(&m.Document)
}

// options are Config.Document with the store's limits as they are known now: a store that was
// down at the start tells them later.
func (m *mount) options() *document.Options {
	o := m.current.Load()
	if m.Store == nil {
		return o
	}
	if limits := m.Store.Limits(); limits != o.Limits {
		fresh := *o
		fresh.Limits = limits
		o = &fresh
		m.current.Store(o)
	}
	return o
}

// name is the collection of a request, checked.
func (m *mount) name(c *router.Ctx) (string, error) {
	name := string(c.ParamBytes(m.collection))
	return name, checkCollection(name, m.Allow)
}
