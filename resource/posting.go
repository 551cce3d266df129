package resource

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/router"
)

// posting is one POST: where its documents go, and when it is answered.
type posting struct {
	m     *mount
	c     *router.Ctx
	s     *scratch
	name  string
	buf   *batch.Buffer
	level batch.Level // of the documents
	prefs preferences
	// mayLeave: the client takes 202 where its wait is over.
	mayLeave bool
	key      *idemKey // nil without Idempotency-Key
}

// begin reads what the headers of a POST say. The posting is the scratch's own and must not be
// kept beyond the request.
func (m *mount) begin(c *router.Ctx, s *scratch) (*posting, error) {
	name, err := m.name(c)
	if err != nil {
		return nil, err
	}
	if !acceptsJSON(c.Request.Header.Peek("Accept")) {
		return nil, errNotAcceptable
	}
	buf, err := m.Buffers.Buffer(name)
	if err != nil {
		return nil, admissionProblem(c, err)
	}
	p := &s.posting
	*p = posting{m: m, c: c, s: s, name: name, buf: buf}
	if lines := c.Request.Header.PeekAll("Prefer"); len(lines) > 0 {
		p.prefs = parsePrefer(lines)
	}
	p.choose()
	if key := c.Request.Header.Peek("Idempotency-Key"); len(key) > 0 {
		if p.key, err = newIdemKey(name, key); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// validate shows a document to Config.Validate.
func (p *posting) validate(body []byte) error {
	if p.m.Validate == nil {
		return nil
	}
	return p.m.Validate(p.name, body)
}

// choose settles the level. A level that the client names counts, if it can be had; a time to
// wait means to wait for the store; respond-async means not to. With both, the client takes a
// 202 once its time is over. Who waits where documents are spooled has its document spooled too:
// when the time is over, what is still on its way survives this process.
func (p *posting) choose() {
	p.level = p.m.Level
	async := p.prefs.async || (p.prefs.hasWait && p.prefs.wait == 0)
	switch {
	case p.prefs.hasLevel && (p.prefs.level != batch.Spool || p.m.spools()):
		p.level = p.prefs.level
	case p.prefs.hasWait && !async && p.level != batch.Spool:
		p.level = batch.Store
	case async && p.level == batch.Store:
		p.level = p.m.AsyncLevel
	}
	p.mayLeave = async && p.level != batch.Store
}

// spools says whether the buffers have a spool, as far as the configuration tells.
func (m *mount) spools() bool {
	return m.Level == batch.Spool || m.AsyncLevel == batch.Spool
}

// waits says whether the answer waits for the outcome.
func (p *posting) waits() bool {
	return p.level == batch.Store || (p.prefs.hasWait && p.prefs.wait > 0)
}

// context bounds the wait for an outcome. It never reaches the store: a client that goes
// away, or has waited enough, takes nothing back.
func (p *posting) context() (context.Context, context.CancelFunc) {
	if p.prefs.hasWait && p.prefs.wait > 0 {
		return context.WithTimeout(context.Background(), p.prefs.wait)
	}
	return p.m.horizon.context(), func() {}
}

// apply writes Preference-Applied (RFC 7240 section 3): what was done of what was asked, and,
// for a 202, at which level the document is kept.
func (p *posting) apply(status int) {
	h := p.s.head[:0]
	if p.prefs.async && status == http.StatusAccepted {
		h = append(h, "respond-async, "...)
	}
	if p.prefs.hasWait && p.waits() {
		h = append(h, "wait="...)
		h = strconv.AppendInt(h, int64(p.prefs.wait/time.Second), 10)
		h = append(h, ", "...)
	}
	if status == http.StatusAccepted || (p.prefs.hasLevel && p.prefs.level == p.level) {
		h = append(h, "level="...)
		h = append(h, p.level.String()...)
		h = append(h, ", "...)
	}
	switch p.prefs.returned {
	case returnMinimal:
		h = append(h, "return=minimal, "...)
	case returnRepresentation:
		h = append(h, "return=representation, "...)
	}
	p.s.head = h
	if len(h) > 0 {
		p.c.Response.Header.SetBytesV("Preference-Applied", h[:len(h)-2])
	}
}
