package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v3"
)

func buildFiber(set Set, p *Probe, mode Mode) (Mux, error) {
	app := fiber.New(fiber.Config{StrictRouting: true, CaseSensitive: true})
	for _, rt := range specificFirst(set.Routes) {
		app.Add([]string{rt.Method}, rt.Path, fiberHandler(rt, p, mode))
	}
	return Mux{Fast: app.Handler()}, nil
}

// specificFirst orders routes as fiber needs it: the first route that fits wins there, so that a
// literal must be registered before a parameter in the same place.
func specificFirst(routes []Route) []Route {
	key := func(rt Route) string {
		segs := strings.Split(rt.Path, "/")
		for i, seg := range segs {
			segs[i] = "0"
			if strings.HasPrefix(seg, ":") {
				segs[i] = "1"
			}
		}
		return strings.Join(segs, "")
	}
	ordered := slices.Clone(routes)
	slices.SortStableFunc(ordered, func(a, b Route) int { return cmp.Compare(key(a), key(b)) })
	return ordered
}

func fiberHandler(rt Route, p *Probe, mode Mode) fiber.Handler {
	switch mode {
	case Count:
		return func(fiber.Ctx) error {
			p.Hits++
			return nil
		}
	case Read:
		names := rt.Params()
		return func(c fiber.Ctx) error {
			p.Hits++
			for _, name := range names {
				p.String(c.Params(name))
			}
			return nil
		}
	}
	return func(c fiber.Ctx) error {
		p.note(rt, func(name string) string { return strings.Clone(c.Params(name)) })
		return nil
	}
}
