package main

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

func buildChi(set Set, p *Probe, mode Mode) (Mux, error) {
	mux := chi.NewRouter()
	for _, rt := range set.Routes {
		mux.MethodFunc(rt.Method, rt.Braces(), chiHandler(rt, p, mode))
	}
	return Mux{HTTP: mux}, nil
}

func chiHandler(rt Route, p *Probe, mode Mode) http.HandlerFunc {
	switch mode {
	case Count:
		return func(http.ResponseWriter, *http.Request) { p.Hits++ }
	case Read:
		if len(rt.Params()) == 0 {
			return func(http.ResponseWriter, *http.Request) { p.Hits++ }
		}
		return func(_ http.ResponseWriter, r *http.Request) {
			p.Hits++
			for _, v := range chi.RouteContext(r.Context()).URLParams.Values {
				p.String(v)
			}
		}
	}
	return func(_ http.ResponseWriter, r *http.Request) {
		p.note(rt, func(name string) string { return chi.URLParam(r, name) })
	}
}
