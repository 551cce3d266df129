// Command embed is the smallest app on the router: two routes, one of them with a parameter and an
// optional query key.
//
//	go run ./examples/embed
//	curl 'http://127.0.0.1:8080/hello/anna?times=2'
package main

import (
	"log"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

func main() {
	matcher, err := routes().Compile() // every fault of the table at once
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(router.NewServer(matcher, router.Limits{}).ListenAndServe("127.0.0.1:8080"))
}

func routes() *router.Table {
	table := router.New()
	table.Get("/live", func(c *router.Ctx) error { return c.NoContent() })
	table.Get("/hello/{name}?times={times:uint=1}", hello)
	return table
}

func hello(c *router.Ctx) error {
	times := min(c.Uint("times"), 10)
	return c.Text(fasthttp.StatusOK, strings.Repeat("hello "+c.Param("name")+"\n", int(times)))
}
