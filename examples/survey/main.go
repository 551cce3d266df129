// Command survey takes the answers to surveys and stores them in MongoDB, in batches: a
// collection a survey, a document an answer. The answers lie in the request as a JSON object; what
// is stored is {_id, user, answers}. All else that one wants of a collection, package resource
// serves: reading, filtering, changing.
//
//	go run ./cmd/rapidrest mongo --listen 127.0.0.1:27017 --data ./data    # or any MongoDB
//	go run ./examples/survey -mongo mongodb://127.0.0.1:27017
//	curl -d '{"q1":"yes","q2":4}' http://127.0.0.1:8080/survey/spring/anna
//	curl 'http://127.0.0.1:8080/collections/spring?answers.q2[gte]=4'
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"os/signal"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/store"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	uri := flag.String("mongo", "mongodb://127.0.0.1:27017", "connection string of the database")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *uri); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, and then lets the buffers drain.
func run(ctx context.Context, listen, uri string) error {
	db, err := store.Open(ctx, store.Config{URI: uri, Database: "surveys"})
	if err != nil {
		return err
	}
	buffers := batch.NewSet(func(survey string) (batch.Sink, batch.Config, error) {
		return db.Collection(survey), batch.Config{Size: 200}, nil
	}, batch.Limits{})
	matcher, err := routes(db, buffers)
	if err != nil {
		return err
	}

	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := router.NewServer(matcher, router.Limits{})
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(router.LazyDeadlines(ln)) }()
	log.Printf("listening on http://%s", ln.Addr())
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.ShutdownWithContext(drain), buffers.Close(drain), db.Close(drain))
}

// routes is the table of the server. db may be nil: then surveys are taken, and not shown.
func routes(db *store.Store, buffers *batch.Set) (*router.Matcher, error) {
	table := router.New()
	s := &surveys{buffers: buffers}
	if db != nil {
		s.options.Limits = db.Limits()
	}
	table.Type("name", isName) // so that nobody posts to system.users
	table.Post("/survey/{survey:name}/{user}", s.answer)
	cfg := resource.Config{Store: db, Buffers: buffers}
	if err := resource.Mount(table, "/collections/{collection}", cfg); err != nil {
		return nil, err
	}
	return table.Compile()
}

// isName says what a survey may be called.
func isName(text []byte) bool {
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// surveys takes answers.
type surveys struct {
	buffers *batch.Set
	options document.Options
}

// answer stores one answer and says under which _id, once MongoDB has it.
func (s *surveys) answer(c *router.Ctx) error {
	doc := document.Build(nil, &s.options)
	doc.String("user", c.Param("user"))
	doc.JSON("answers", c.PostBody())
	raw, id, err := doc.End()
	if e, ok := errors.AsType[*document.Error](err); ok {
		status := fasthttp.StatusUnprocessableEntity
		if e.Kind == document.Syntax {
			status = fasthttp.StatusBadRequest
		}
		return router.NewProblem(status, e.Msg).With("offset", e.Offset)
	}
	if err != nil {
		return err
	}
	buffer, err := s.buffers.Buffer(c.Param("survey"))
	if err != nil {
		return err
	}
	ticket, err := buffer.Add(raw)
	if err != nil {
		c.Response.Header.Set("Retry-After", "1")
		return router.NewProblem(fasthttp.StatusServiceUnavailable, "no room for an answer right now")
	}
	wait, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	outcome, err := ticket.Wait(wait)
	if err != nil || outcome.Kind != batch.Stored {
		return router.NewProblem(fasthttp.StatusGatewayTimeout, "the answer is not stored yet")
	}
	reply, err := id.AppendJSON([]byte(`{"_id":`))
	if err != nil {
		return err
	}
	c.SetStatusCode(fasthttp.StatusCreated)
	c.SetContentType("application/json")
	c.SetBody(append(reply, '}'))
	return nil
}
