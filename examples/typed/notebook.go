package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// draft is what a client sends.
type draft struct {
	Text string `json:"text"`
}

// note is what a client gets.
type note struct {
	ID   uint   `json:"id"`
	Text string `json:"text"`
}

// none is for handlers that take no body, or answer without one.
type none = struct{}

type notebook struct {
	mu    sync.Mutex
	last  uint
	notes map[uint]note
}

func newNotebook() *notebook { return &notebook{notes: map[uint]note{}} }

func (b *notebook) list(*router.Ctx, none) ([]note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := slices.AppendSeq(make([]note, 0, len(b.notes)), maps.Values(b.notes)) // never nil: no notes are [], not null
	slices.SortFunc(notes, func(x, y note) int { return cmp.Compare(x.ID, y.ID) })
	return notes, nil
}

func (b *notebook) show(c *router.Ctx, _ none) (note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.find(c)
}

func (b *notebook) add(c *router.Ctx, d draft) (note, error) {
	if err := d.check(); err != nil {
		return note{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	n := note{ID: b.last, Text: d.Text}
	b.notes[n.ID] = n
	c.Status(fasthttp.StatusCreated)
	c.Response.Header.Set(fasthttp.HeaderLocation, fmt.Sprintf("/api/notes/%d", n.ID))
	return n, nil
}

func (b *notebook) change(c *router.Ctx, d draft) (note, error) {
	if err := d.check(); err != nil {
		return note{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.find(c)
	if err != nil {
		return note{}, err
	}
	n.Text = d.Text
	b.notes[n.ID] = n
	return n, nil
}

func (b *notebook) remove(c *router.Ctx, _ none) (none, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.find(c)
	delete(b.notes, n.ID)
	return none{}, err
}

// find returns the note that the path names. An error that is a Problem is shown to the client as
// it is.
func (b *notebook) find(c *router.Ctx) (note, error) {
	id := c.Uint("id")
	n, ok := b.notes[id]
	if !ok {
		return note{}, router.NewProblem(fasthttp.StatusNotFound, "there is no such note").With("id", id)
	}
	return n, nil
}

func (d draft) check() error {
	if strings.TrimSpace(d.Text) == "" {
		return router.NewProblem(fasthttp.StatusUnprocessableEntity, "a note needs a text").With("pointer", "/text")
	}
	return nil
}
