package main

import (
	"net/http"
	"strings"
)

func buildServeMux(set Set, p *Probe, mode Mode) (Mux, error) {
	mux := http.NewServeMux()
	for _, rt := range set.Routes {
		pattern := rt.Braces()
		if strings.HasSuffix(pattern, "/") {
			pattern += "{$}" // without it, everything below would fit as well
		}
		mux.HandleFunc(rt.Method+" "+pattern, serveMuxHandler(rt, p, mode))
	}
	return Mux{HTTP: mux}, nil
}

func serveMuxHandler(rt Route, p *Probe, mode Mode) http.HandlerFunc {
	switch mode {
	case Count:
		return func(http.ResponseWriter, *http.Request) { p.Hits++ }
	case Read:
		names := rt.Params()
		return func(_ http.ResponseWriter, r *http.Request) {
			p.Hits++
			for _, name := range names {
				p.String(r.PathValue(name))
			}
		}
	}
	return func(_ http.ResponseWriter, r *http.Request) { p.note(rt, r.PathValue) }
}
