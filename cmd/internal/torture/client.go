package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	bulkSize = 32 // at the most

	// collections is how many the clients post to: as many buffers and spools.
	collections = 8

	// answerTimeout is how long a client waits for an answer. It is longer than any
	// fault holds: what is unanswered is so because the connection broke.
	answerTimeout = 20 * time.Second

	// pause is what a client waits after a connection failed, or a 503.
	pause = 10 * time.Millisecond
)

// collection is the name of one of the collections.
func collection(where int) string { return fmt.Sprintf("torture%d", where) }

// client is one user: one request at a time, over one connection, to one collection.
type client struct {
	http   *fasthttp.HostClient
	ledger *ledger
	pace   *pace
	seed   uint64
	r      *rand.Rand
	where  int // its collection
	url    string
	body   []byte
}

func newClient(addr string, l *ledger, p *pace, seed uint64, number int) *client {
	where := number % collections
	return &client{
		http: &fasthttp.HostClient{
			Addr:     addr,
			MaxConns: 1,
			// A request that the library sends again by itself would be a duplicate of
			// our making.
			MaxIdemponentCallAttempts: 1,
			RetryIfErr:                func(*fasthttp.Request, int, error) (bool, bool) { return false, false },
		},
		ledger: l,
		pace:   p,
		seed:   seed,
		r:      rand.New(rand.NewPCG(seed, 1<<63|uint64(number))),
		where:  where,
		url:    "http://" + addr + "/collections/" + collection(where),
	}
}

// run posts documents until ctx ends.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		count := 1
		if c.r.IntN(4) > 0 {
			count += c.r.IntN(bulkSize)
		}
		if c.pace.wait(ctx, count); ctx.Err() != nil {
			return
		}
		c.post(ctx, c.ledger.take(c.where, count), count)
	}
}

// post sends documents, and where it got no answer those with an _id once more.
func (c *client) post(ctx context.Context, first, count int) {
	which := make([]int, count)
	for i := range which {
		which[i] = first + i
	}
	if c.try(ctx, which, false) {
		return
	}
	again := which[:0]
	for _, n := range which {
		if chosen(n) {
			again = append(again, n)
		}
	}
	for len(again) > 0 && ctx.Err() == nil {
		if c.try(ctx, again, true) {
			return
		}
	}
}

// try sends the documents once and notes the answers. It says whether the server
// gave one.
func (c *client) try(ctx context.Context, which []int, again bool) (answered bool) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.SetRequestURI(c.url)
	c.body = c.body[:0]
	for i, n := range which {
		if i > 0 {
			c.body = append(c.body, '\n')
		}
		d := document(c.seed, n)
		c.body, _ = d.appendJSON(c.body)
	}
	req.Header.SetContentType("application/json")
	if len(which) > 1 {
		req.Header.SetContentType("application/x-ndjson")
	}
	req.SetBodyRaw(c.body)
	if err := c.http.DoTimeout(req, resp, answerTimeout); err != nil {
		rest(ctx)
		return false
	}
	if len(which) == 1 {
		c.noteOne(which[0], resp, again)
	} else {
		c.noteBulk(which, resp, again)
	}
	if resp.StatusCode() == fasthttp.StatusServiceUnavailable {
		rest(ctx)
	}
	return true
}

// rest keeps a client from turning without end while the server is away.
func rest(ctx context.Context) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (c *client) noteOne(n int, resp *fasthttp.Response, again bool) {
	var body struct {
		ID any `json:"_id"`
	}
	status := resp.StatusCode()
	if status < 300 && json.Unmarshal(resp.Body(), &body) != nil {
		status = 0 // an answer that can't be read is none
	}
	c.note(n, status, body.ID, again)
}

func (c *client) noteBulk(which []int, resp *fasthttp.Response, again bool) {
	var body struct {
		IDs    []any `json:"ids"`
		Errors []struct {
			Index, Status int
		} `json:"errors"`
	}
	status := resp.StatusCode()
	err := json.Unmarshal(resp.Body(), &body)
	of := make([]int, len(which))
	for i := range of {
		of[i] = status
	}
	for _, e := range body.Errors {
		if e.Index >= 0 && e.Index < len(of) {
			of[e.Index] = e.Status
		}
	}
	for i, n := range which {
		var id any
		switch {
		case i < len(body.IDs):
			id = body.IDs[i]
		case of[i] < 300 || err != nil && status < 300:
			of[i] = 0
		}
		c.note(n, of[i], id, again)
	}
}

// note enters the answer to one document. A taken document's _id is the one it
// brought, or an ObjectID that the answer names.
func (c *client) note(n, status int, id any, again bool) {
	a, made := refused, bson.ObjectID{}
	switch {
	case status == 0:
		a = unanswered
	case status < 300:
		a = accepted
		hex, _ := id.(string)
		if chosen(n) {
			if hex != idOf(c.seed, n) {
				made = bson.ObjectID{1} // wrong: found when the ledger is closed
			}
		} else {
			made, _ = bson.ObjectIDFromHex(hex)
		}
	case status == fasthttp.StatusConflict && again:
		a = accepted
	}
	c.ledger.note(n, status, a, made)
}
