package main

import (
	"net/http"

	"github.com/uptrace/bunrouter"
)

func buildBunrouter(set Set, p *Probe, mode Mode) (Mux, error) {
	router := bunrouter.New()
	for _, rt := range set.Routes {
		router.Handle(rt.Method, rt.Path, bunrouterHandler(rt, p, mode))
	}
	return Mux{HTTP: router}, nil
}

func bunrouterHandler(rt Route, p *Probe, mode Mode) bunrouter.HandlerFunc {
	switch mode {
	case Count:
		return func(http.ResponseWriter, bunrouter.Request) error {
			p.Hits++
			return nil
		}
	case Read: // by name: its Slice allocates
		names := rt.Params()
		return func(_ http.ResponseWriter, r bunrouter.Request) error {
			p.Hits++
			params := r.Params()
			for _, name := range names {
				p.String(params.ByName(name))
			}
			return nil
		}
	}
	return func(_ http.ResponseWriter, r bunrouter.Request) error {
		p.note(rt, r.Param)
		return nil
	}
}
