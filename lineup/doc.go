// Command lineup measures RapidREST's router beside its peers, in one process and in one run.
//
//	cd lineup && go run .
//
// prints a table for every question below: nanoseconds per request, allocations per pass, and how
// the router stands against the best peer.
//
//	hits      every request finds its route; the handler is a counter
//	params    the same, and the handler reads every parameter, each router its cheapest way
//	misses    no path fits: 404
//	methods   the path fits, the method does not: 405
//	growth    20, 200 and 2,000 routes, the cost of an empty handler subtracted
//	above     a whole answer (route, context, JSON reply) against a bare fasthttp handler
//
// # How it is measured
//
// The route sets and the requests are in testdata: GitHub's API, a static site, Parse and Google+.
// A pass serves every request of a set once, in an order that is shuffled with a fixed seed and is
// the same for all. Requests are prepared beforehand (an *http.Request, or a parsed
// *fasthttp.RequestCtx), so that nothing but the router and the handler is timed. Rounds are
// interleaved: in each round every router runs one sample, in an order that is shuffled anew; the
// figure is the median over the rounds. A pass before each sample is not timed. On Linux what is counted is the CPU time of the measuring
// thread, so that what else the machine does is not in it.
//
// Before anything is timed, every router answers every request, and the route, the parameters and
// the status that it found are compared with what testdata says. A wrong route is an error. Some
// peers answer a miss with another status; the table marks them, and does not compare with them.
//
// # How each peer is set up
//
// As its documentation recommends, on its current version, with whatever makes it faster and is
// documented: no middleware, gin in release mode, redirects off (a miss is a miss), 405 on where it
// is an option. The net/http routers write to one ResponseWriter that drops everything. Each router
// answers a miss its own way: that answer is part of the figure.
//
// The module is not part of go.work, so that a peer's requirements never move those of the router.
package main
