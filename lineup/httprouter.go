package main

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
)

func buildHttprouter(set Set, p *Probe, mode Mode) (Mux, error) {
	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	for _, rt := range set.Routes {
		router.Handle(rt.Method, rt.Path, httprouterHandle(rt, p, mode))
	}
	return Mux{HTTP: router}, nil
}

func httprouterHandle(rt Route, p *Probe, mode Mode) httprouter.Handle {
	switch mode {
	case Count:
		return func(http.ResponseWriter, *http.Request, httprouter.Params) { p.Hits++ }
	case Read:
		return func(_ http.ResponseWriter, _ *http.Request, params httprouter.Params) {
			p.Hits++
			for i := range params {
				p.String(params[i].Value)
			}
		}
	}
	return func(_ http.ResponseWriter, _ *http.Request, params httprouter.Params) { p.note(rt, params.ByName) }
}
