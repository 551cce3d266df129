package main

import "github.com/gin-gonic/gin"

func buildGin(set Set, p *Probe, mode Mode) (Mux, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	for _, rt := range set.Routes {
		engine.Handle(rt.Method, rt.Path, ginHandler(rt, p, mode))
	}
	return Mux{HTTP: engine}, nil
}

func ginHandler(rt Route, p *Probe, mode Mode) gin.HandlerFunc {
	switch mode {
	case Count:
		return func(*gin.Context) { p.Hits++ }
	case Read:
		return func(c *gin.Context) {
			p.Hits++
			for i := range c.Params {
				p.String(c.Params[i].Value)
			}
		}
	}
	return func(c *gin.Context) { p.note(rt, c.Param) }
}
