package resource_test

import (
	"context"
	"fmt"
	"log"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

// printer is a store that prints what it is sent.
type printer struct{}

func (printer) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
	outcomes := make([]batch.Outcome, len(docs))
	for i, doc := range docs {
		fmt.Println("stored:", bson.Raw(doc))
		outcomes[i].Kind = batch.Stored
	}
	return outcomes, nil
}

// Documents that are posted go to a sink of one's own, and no database is needed.
func ExampleMount() {
	buffers := batch.NewSet(func(string) (batch.Sink, batch.Config, error) { return printer{}, batch.Config{}, nil }, batch.Limits{})
	table := router.New()
	err := resource.Mount(table, "/collections/{collection}", resource.Config{
		Buffers: buffers,
		Allow:   resource.AllowOnly("answers"),
	})
	if err != nil {
		log.Fatal(err)
	}
	matcher, err := table.Compile()
	if err != nil {
		log.Fatal(err)
	}
	for _, body := range []string{`{"n": 1, "_id": "a"}`, `[{"_id": "b"}, {"$where": 1}]`, `{"n": `} {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetMethod("POST")
		ctx.Request.SetRequestURI("/collections/answers")
		ctx.Request.Header.SetContentType("application/json")
		ctx.Request.SetBodyString(body)
		matcher.Serve(&ctx)
		fmt.Printf("%d %s\n", ctx.Response.StatusCode(), ctx.Response.Body())
	}
	// Output:
	// stored: {"_id": "a","n": {"$numberInt":"1"}}
	// 201 {"_id":"a"}
	// stored: {"_id": "b"}
	// 207 {"stored":1,"ids":["b",null],"errors":[{"index":1,"status":422,"detail":"key \"$where\" starts with $","offset":16,"line":1,"column":17,"pointer":"/1/$where"}]}
	// 400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"the text ends where a value should be","column":7,"line":1,"offset":6,"pointer":"/n"}
}

func ExampleAllowOnly() {
	allow := resource.AllowOnly("answers", "events_*")
	fmt.Println(allow("answers"), allow("events_2026"), allow("users"))
	// Output: true true false
}
