package main

import (
	"context"
	"fmt"
	"log"
	"net"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/router"
)

// paper is a store that prints what it is sent.
type paper struct{}

func (paper) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
	outcomes := make([]batch.Outcome, len(docs))
	for i, doc := range docs {
		raw := bson.Raw(doc)
		fmt.Println("stored:", raw.Lookup("user"), raw.Lookup("answers"))
		outcomes[i].Kind = batch.Stored
	}
	return outcomes, nil
}

// The same server as main's, on a listener in memory and with paper for a database.
func Example() {
	buffers := batch.NewSet(func(string) (batch.Sink, batch.Config, error) { return paper{}, batch.Config{}, nil }, batch.Limits{})
	matcher, err := routes(nil, buffers)
	if err != nil {
		log.Fatal(err)
	}
	ln := fasthttputil.NewInmemoryListener()
	defer ln.Close()
	go router.NewServer(matcher, router.Limits{}).Serve(ln)
	client := &fasthttp.Client{Dial: func(string) (net.Conn, error) { return ln.Dial() }}

	for _, answers := range []string{`{"q1": "yes", "q2": 4}`, `{"q1": `, `{"$where": 1}`} {
		var req fasthttp.Request
		var resp fasthttp.Response
		req.Header.SetMethod("POST")
		req.SetRequestURI("http://example.org/survey/spring/anna")
		req.SetBodyString(answers)
		if err := client.Do(&req, &resp); err != nil {
			log.Fatal(err)
		}
		fmt.Println(resp.StatusCode())
	}
	// Output:
	// stored: "anna" {"q1": "yes","q2": {"$numberInt":"4"}}
	// 201
	// 400
	// 422
}
