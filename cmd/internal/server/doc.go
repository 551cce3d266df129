// Package server is what `rapidrest serve` runs: a store, the write buffers of its collections,
// the REST resource over them and the routes that say how it is, put together into one
// fasthttp.Server.
//
//	s, err := server.Open(ctx, server.Config{MongoURI: uri, Database: "rapidrest"})
//	...
//	go s.HTTP().Serve(listener)
//	...                            // until it is time to stop; then the HTTP server first
//	left, err := s.Close(ctx)      // drains; left counts what had no outcome
//
// Routes:
//
//	/collections/{collection}         package resource
//	/collections/{collection}/{id}    package resource
//	GET /live                         200 while the process lives
//	GET /ready                        200 while the store answers, else 503
package server
