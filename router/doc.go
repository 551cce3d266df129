// Package router compiles a route table into an immutable matcher for fasthttp, and gives its
// handlers what a JSON REST server needs: parameters, JSON bodies and replies, problem details as errors.
//
// A whole program:
//
//	package main
//
//	import (
//		"log"
//
//		"github.com/rapidrest/rapidrest/router"
//	)
//
//	type answer struct {
//		Survey string `json:"survey"`
//		Limit  int    `json:"limit"`
//	}
//
//	func main() {
//		table := router.New()
//		table.Get("/hello", func(c *router.Ctx) error { return c.Text(200, "hello") })
//		table.Get("/answers/{survey}?limit={limit:int=20}", func(c *router.Ctx) error {
//			return c.JSON(200, answer{c.Param("survey"), c.Int("limit")})
//		})
//		table.Post("/answers/{survey}", router.JSON(func(c *router.Ctx, in answer) (answer, error) {
//			if in.Limit < 0 {
//				return answer{}, router.NewProblem(422, "limit is negative")
//			}
//			return in, nil
//		}))
//		matcher, err := table.Compile() // reports every fault of the table at once
//		if err != nil {
//			log.Fatal(err)
//		}
//		log.Fatal(router.NewServer(matcher, router.Limits{}).ListenAndServe("127.0.0.1:8080"))
//	}
//
// # Patterns
//
// A pattern is a path, written decoded, whose segments are literal or hold one parameter each. It
// matches a path as a whole. A parameter is never empty, and is one segment unless it is a catch-all.
//
//	pattern                    matches                  parameters
//	/users/me                  /users/me, /%75sers/me
//	/users/{id}                /users/42, /users/a%2Fb  id = 42, a/b
//	/users/{id:int}            /users/-42               id = -42
//	/files/{name}.json         /files/a.json            name = a
//	/v{major:uint}/x           /v2/x                    major = 2
//	/static/{path...}          /static/a/b, /static/a/  path = a/b, a/
//	/dir/                      /dir/, and not /dir
//	/a?q={q}                   /a?q=x; without q: 400   q = x
//	/a?n={n:int=20}            /a, /a?n=7               n = 20, 7
//
// Types are int and uint (what a Go int or uint holds), objectid (24 hex digits), uuid, and what
// Table.Type adds. Two routes may share a path and differ in the query keys that they require, if one's contain the
// other's: the one that requires most and is satisfied answers. The first of several pairs with one key counts,
// and one with an empty value counts as absent. A key whose value does not fit its type is not satisfied.
//
// # Precedence
//
// Where several routes fit, the first segment from the left in which they differ decides. The
// order of registration never matters.
//
//	1  literal               /a/42
//	2  text and parameter    /a/4{x}     the longer prefix, then the longer suffix
//	3  typed parameter       /a/{x:int}  uint, int, objectid, uuid, in this order
//	4  parameter             /a/{x}
//	5  catch-all             /a/{x...}
//
// The search is complete: a route that begins well and does not fit hides none that does. The method
// is matched first: with GET /users/me and PUT /users/{id}, PUT /users/me is the second's. Where neither
// of two patterns wins wherever both fit (user_{x} and {y}_admin; two types of the app in one place),
// Compile refuses them, and shows a path that both match.
//
// # What the router answers by itself
//
//	404  no route fits the path
//	405  another method has the path; Allow is complete
//	204  OPTIONS, where no route is registered for it, with Allow; OPTIONS * with every method
//	400  a bad escape, a NUL or a dot segment in the path, raw or escaped
//	400  query keys that no route that fits can do without; the most specific one's are named
//	500  a handler failed with an error that is no *Problem, or panicked; both are logged
//
// HEAD is answered as GET where there is no HEAD route. The router never redirects: /x/ is not /x.
// Each segment is decoded by itself, so %2F stays in its segment, and + stays +.
//
// # How it matches, and why so
//
// A method's routes are a tree of segments. Paths without parameters lie beside it in one hash table.
// A node finds its literal by a hash of the segment's first and last eight bytes, read as numbers;
// parameters are pairs of offsets in numbered slots. A search walks down without a call, and notes
// where a parameter would have fitted as well as the literal. Where the way ends it comes back there,
// the deepest first. A node is entered at most once a search, so no path costs more than the table is
// large.
//
// A node has the size of one line of the processor's cache. It holds the literal that leads to it, the
// handler if the path may end there, and where its hash table and its parameter's node lie: a segment
// costs one line, and the next line's address is known when this one is there. So a request costs
// hardly more among 2,000 routes than among 20. Serve calls the search and the handler, and nothing else.
//
// The designs that were measured, through Serve, on the requests of the GitHub and the static set in
// testdata, shuffled; BenchmarkDesigns repeats the first, the fourth and the fifth. At its fastest
// the first takes 38 and 18 ns per request, each other this many times that:
//
//	                                            GitHub  static
//	this one                                    1       1
//	nodes, literals and handlers in lines apart 1.1     1.3
//	every step a call, hashes of first bytes    1.3     1.3
//	a tree of segments in Go maps               2.6     2.7
//	a list per number of segments, in order     7.6     9.0
//
// What else was measured, on all four sets:
//
//	a word near the path's end read without a jump    10 to 17 % slower: a jump is foreseen
//	no look-up in nodes without literals              0 to 3 % faster: not worth a jump more to read
//	a literal compared at once, with one jump         the same
//	all slashes of the path marked beforehand         20 % slower on GitHub, the same on static
//	a sync.Pool of contexts (see pool.go)             12 ns slower
//	one context for all, for the cache's sake         the same or slower
//	contexts in places scattered by a hash            the same as side by side
//	Serve without its recover                         0 to 2 ns faster: the guarantee is worth that
//	the ends of a literal XORed before the hash       all literals of eight bytes in one place: 40 ns
//	                                                  slower below a node with 500 literals
package router
