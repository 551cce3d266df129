package main

import "github.com/rapidrest/rapidrest/router"

func buildRapidREST(set Set, p *Probe, mode Mode) (Mux, error) {
	table := router.New()
	for _, rt := range set.Routes {
		table.Handle(rt.Method, rt.Braces(), rapidrestHandler(rt, p, mode))
	}
	matcher, err := table.Compile()
	if err != nil {
		return Mux{}, err
	}
	return Mux{Fast: matcher.Serve}, nil
}

func rapidrestHandler(rt Route, p *Probe, mode Mode) router.Handler {
	switch mode {
	case Count:
		return func(*router.Ctx) error {
			p.Hits++
			return nil
		}
	case Read: // slots are numbered in order of appearance
		slots := len(rt.Params())
		return func(c *router.Ctx) error {
			p.Hits++
			for slot := range slots {
				p.View(c.ParamBytes(slot))
			}
			return nil
		}
	}
	return func(c *router.Ctx) error {
		p.note(rt, c.Param)
		return nil
	}
}
