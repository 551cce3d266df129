// Command peers serves the scenario routes on one of several Go routers, for bench --lineup.
//
//	peers NAME [--listen HOST:PORT] [--mongo-uri URI] [--database NAME] [--batch-size N]
//
// NAME is fasthttp (its router fasthttp/router), fiber, gin, echo, net-http or chi. Each is an app as its
// documentation would have it: it routes, reads the parameters and the body, and writes the
// answer its own way. What lies between is the same for all (work.go): RapidREST's package
// document for JSON to BSON, the driver for inserts, a mutex and a slice for batches. So what
// differs from one to the next is what the router and its HTTP server take.
//
// It prints "listening on http://HOST:PORT" once it takes requests. SIGTERM ends it, when what
// the batches held is stored.
package main
