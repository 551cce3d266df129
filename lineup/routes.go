package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed testdata/*.json
var testdata embed.FS

// setNames are the route sets of testdata, in the order of the tables.
var setNames = []string{"github", "static", "parse", "gplus"}

// Route is one route of a set, written with colons: /users/:user.
type Route struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Params returns the names of the route's parameters in order of appearance.
func (r Route) Params() []string {
	var names []string
	for seg := range strings.SplitSeq(r.Path, "/") {
		if name, ok := strings.CutPrefix(seg, ":"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Braces returns the path written with braces: /users/{user}.
func (r Route) Braces() string {
	segs := strings.Split(r.Path, "/")
	for i, seg := range segs {
		if name, ok := strings.CutPrefix(seg, ":"); ok {
			segs[i] = "{" + name + "}"
		}
	}
	return strings.Join(segs, "/")
}

// Request is one request and the answer that is right.
type Request struct {
	Method, Path string
	Status       int               // 200, 404 or 405
	Route        string            // 200: the path of the route that it hits
	Params       map[string]string // 200: its parameters
}

// Set is a route table with its requests, sorted by the answer they get.
type Set struct {
	Name   string
	Routes []Route
	Hits   []Request // one for every route
	Misses []Request // 404
	Wrong  []Request // 405
}

// loadSet reads a set of testdata and shuffles its requests.
func loadSet(name string) (Set, error) {
	set := Set{Name: name}
	if err := readJSON(name+".json", &set.Routes); err != nil {
		return Set{}, err
	}
	var recorded []struct {
		Request struct{ Method, Path string }
		Expect  struct {
			Status int
			Route  string
			Params map[string]string
		}
	}
	if err := readJSON(name+"_requests.json", &recorded); err != nil {
		return Set{}, err
	}
	for _, rec := range recorded {
		req := Request{
			Method: rec.Request.Method, Path: rec.Request.Path,
			Status: rec.Expect.Status, Route: rec.Expect.Route, Params: rec.Expect.Params,
		}
		switch req.Status {
		case 200:
			set.Hits = append(set.Hits, req)
		case 404:
			// ServeMux cleans a path with two slashes in a row and redirects: we measure the misses
			// that are one for everybody.
			if !strings.Contains(req.Path, "//") {
				set.Misses = append(set.Misses, req)
			}
		case 405:
			set.Wrong = append(set.Wrong, req)
		default:
			return Set{}, fmt.Errorf("lineup: %s: status %d of %s %q is not one we measure", name, req.Status, req.Method, req.Path)
		}
	}
	set.shuffle()
	return set, nil
}

func readJSON(file string, into any) error {
	text, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		return fmt.Errorf("lineup: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("lineup: %s: %w", file, err)
	}
	return nil
}

// shuffle puts the requests in an order that favours nobody: the same in every run and for every
// router.
func (s *Set) shuffle() {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, reqs := range [][]Request{s.Hits, s.Misses, s.Wrong} {
		rng.Shuffle(len(reqs), func(i, j int) { reqs[i], reqs[j] = reqs[j], reqs[i] })
	}
}

// grown makes a REST table of n routes (a multiple of four): collections with a list, a create, one
// element, and one element of a list below it.
func grown(n int) Set {
	set := Set{Name: fmt.Sprintf("%d routes", n)}
	add := func(method, path, hit string, params map[string]string) {
		set.Routes = append(set.Routes, Route{method, path})
		set.Hits = append(set.Hits, Request{Method: method, Path: hit, Status: 200, Route: path, Params: params})
	}
	nouns := []string{"account", "basket", "city", "device", "event", "file", "grant", "house", "invoice", "journey"}
	for i := range n / 4 {
		list := fmt.Sprintf("/api/%s-%d", nouns[i%len(nouns)], i/len(nouns))
		id, part := fmt.Sprintf("id%d", i), fmt.Sprintf("part%d", i)
		add("GET", list, list, nil)
		add("POST", list, list, nil)
		add("GET", list+"/:id", list+"/"+id, map[string]string{"id": id})
		add("GET", list+"/:id/parts/:part", list+"/"+id+"/parts/"+part, map[string]string{"id": id, "part": part})
	}
	set.shuffle()
	return set
}

// stream is the hits of a set again and again, each time in another order, until there are n. Of
// twenty requests in one order a processor would learn every branch by heart, of 2,000 it would
// not: what grows would be that, and not the router's work.
func (s *Set) stream(n int) []Request {
	rng := rand.New(rand.NewPCG(3, 4))
	var reqs []Request
	for len(reqs) < n {
		pass := slices.Clone(s.Hits)
		rng.Shuffle(len(pass), func(i, j int) { pass[i], pass[j] = pass[j], pass[i] })
		reqs = append(reqs, pass...)
	}
	return reqs
}
