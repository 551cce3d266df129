package main

import (
	"fmt"
	"log"
	"net"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/rapidrest/rapidrest/router"
)

// The same server as main's, on a listener in memory.
func Example() {
	matcher, err := routes().Compile()
	if err != nil {
		log.Fatal(err)
	}
	ln := fasthttputil.NewInmemoryListener()
	defer ln.Close()
	go router.NewServer(matcher, router.Limits{}).Serve(ln)
	client := &fasthttp.Client{Dial: func(string) (net.Conn, error) { return ln.Dial() }}

	for _, path := range []string{"/live", "/hello/anna?times=2", "/hello/anna%20maria", "/hello/anna?times=two", "/hello/"} {
		status, body, err := client.Get(nil, "http://example.org"+path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d\n%s", path, status, body)
		if status >= 400 {
			fmt.Println()
		}
	}
	// Output:
	// /live: 204
	// /hello/anna?times=2: 200
	// hello anna
	// hello anna
	// /hello/anna%20maria: 200
	// hello anna maria
	// /hello/anna?times=two: 400
	// {"type":"about:blank","title":"Bad Request","status":400,"detail":"query keys are missing or do not fit: times","keys":["times"]}
	// /hello/: 404
	// {"type":"about:blank","title":"Not Found","status":404,"detail":"no route fits the path"}
}
