package main

import (
	"fmt"
	"maps"
)

// verify serves the requests to a table built for it and returns how each answer differs from what
// is right.
func verify(s Subject, set Set, reqs []Request) ([]string, error) {
	var p Probe
	mux, err := s.Build(set, &p, Check)
	if err != nil {
		return nil, fmt.Errorf("lineup: %s: %w", s.Name, err)
	}
	var wrong []string
	for _, req := range reqs {
		p = Probe{}
		status := mux.Once(req)
		if !right(req, status, &p) {
			wrong = append(wrong, fmt.Sprintf("%s %q: status %d, %d handlers, route %q, parameters %q; want status %d, route %q, parameters %q",
				req.Method, req.Path, status, p.Hits, p.Route, p.Params, req.Status, req.Route, req.Params))
		}
	}
	return wrong, nil
}

func right(req Request, status int, p *Probe) bool {
	if req.Status == 200 {
		return p.Hits == 1 && p.Route == req.Route && maps.Equal(p.Params, req.Params)
	}
	return p.Hits == 0 && status == req.Status
}
