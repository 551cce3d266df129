package router

import "github.com/valyala/fasthttp"

// Match is what a Matcher would do with a request.
type Match struct {
	Route   *Route   // nil where the router answers by itself
	Params  []Param  // by slot
	Status  int      // of the router's own answer: 404, 405, 400, 204; 0 where there is a route
	Allow   []string // with 405 and 204: the methods of the path
	Missing []string // with 400: the query keys that are missing or do not fit; none for a bad path
}

// Param is a parameter's name and its value, decoded.
type Param struct{ Name, Value string }

// Lookup says what would answer a request, without running it. target is a path, with a query
// or without, escaped as it is in a request line. It takes the same way as Serve.
func (m *Matcher) Lookup(method, target string) Match {
	c := m.newCtx()
	m.match(c, m.methods.number([]byte(method)), []byte(target))
	if c.route == nil {
		return m.lookupVerdict(c)
	}
	match := Match{Route: c.route}
	for i, name := range c.route.parsed.names {
		match.Params = append(match.Params, Param{name, string(c.ParamBytes(i))})
	}
	return match
}

func (m *Matcher) lookupVerdict(c *Ctx) Match {
	allow := func() (names []string) {
		set := m.methods.allowed(c.allow)
		for i, name := range m.methods.names {
			if set.has(i) {
				names = append(names, name)
			}
		}
		return names
	}
	switch c.verdict {
	case notAllowed:
		return Match{Status: fasthttp.StatusMethodNotAllowed, Allow: allow()}
	case options:
		return Match{Status: fasthttp.StatusNoContent, Allow: allow()}
	case badQuery:
		return Match{Status: fasthttp.StatusBadRequest, Missing: c.missingKeys()}
	case badPath:
		return Match{Status: fasthttp.StatusBadRequest}
	}
	return Match{Status: fasthttp.StatusNotFound}
}
