package main

import (
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

func buildFasthttpRouter(set Set, p *Probe, mode Mode) (Mux, error) {
	r := router.New()
	r.RedirectTrailingSlash = false
	r.RedirectFixedPath = false
	for _, rt := range set.Routes {
		r.Handle(rt.Method, rt.Braces(), fasthttpRouterHandler(rt, p, mode))
	}
	return Mux{Fast: r.Handler}, nil
}

func fasthttpRouterHandler(rt Route, p *Probe, mode Mode) fasthttp.RequestHandler {
	switch mode {
	case Count:
		return func(*fasthttp.RequestCtx) { p.Hits++ }
	case Read:
		names := rt.Params()
		return func(ctx *fasthttp.RequestCtx) {
			p.Hits++
			for _, name := range names {
				p.String(ctx.UserValue(name).(string))
			}
		}
	}
	return func(ctx *fasthttp.RequestCtx) {
		p.note(rt, func(name string) string { return ctx.UserValue(name).(string) })
	}
}
