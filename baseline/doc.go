// Package baseline is the bare server that the framework is measured against: the scenario
// routes written by hand on fasthttp and the MongoDB driver, with nothing between.
//
// A whole program:
//
//	package main
//
//	import (
//		"log"
//
//		"github.com/rapidrest/rapidrest/baseline"
//		"github.com/valyala/fasthttp"
//		"go.mongodb.org/mongo-driver/v2/mongo"
//		"go.mongodb.org/mongo-driver/v2/mongo/options"
//	)
//
//	func main() {
//		client, err := mongo.Connect(options.Client().ApplyURI("mongodb://127.0.0.1:27017"))
//		if err != nil {
//			log.Fatal(err)
//		}
//		bare := baseline.New(baseline.Config{Database: client.Database("rapidrest")})
//		log.Fatal(fasthttp.ListenAndServe("127.0.0.1:8080", bare.Handler))
//	}
//
// # Routes
//
//	GET  /hello                           200  Hello world!
//	GET  /timestamp                       200  {"timestamp":1764500173123}, Unix milliseconds
//	POST /documents                       201  stores {"title":"Document <uuid>"} and returns it; the body is ignored
//	GET  /documents                       200  the first of them; 404 when there is none
//	POST /survey/{survey}/{user}          201  stores {user, answers}, one insert a request; {"_id":"…"}
//	PUT  /survey/{survey}/{user}          200  upserts {_id: user, answers}: {"stored":true}
//	POST /surveybatched/{survey}/{user}   202  the same through the buffer, answered before it is stored
//	POST /surveynodb/{survey}/{user}      200  parses, stores nothing: {"stored":false}
//
// Any other request is 404, a body that is no JSON 400, JSON that is no object or that BSON
// cannot hold 422, a database that does not take the insert 503; all as application/problem+json.
//
// # What "by hand" means
//
// It is meant to be what a competent programmer writes who wants speed and nothing else, so that
// the comparison flatters nobody: one switch on method and path, no router, no request context
// of its own, no pool of its own. Fixed replies are literals. A survey's answers are read
// with json-iterator's Iterator and appended to BSON as they are read, key order kept, whole
// numbers as int32 or int64. (Decoding into a map and marshalling that takes about five times
// as long.) It inherits what json-iterator lets pass: numbers such as 01, invalid UTF-8,
// duplicate keys. Inserts are the driver's InsertOne and InsertMany.
//
// The buffer is a mutex and a slice per survey. It sends a batch when the slice is full or when
// its first document has waited for Config.Linger, and [Server.Close] sends the rest. When all
// Config.Inflight inserts are under way, the request that fills a batch waits for one to end:
// that bounds memory. A batch that fails is logged and counted, not tried again.
package baseline
