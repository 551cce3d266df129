package main

import "github.com/labstack/echo/v5"

func buildEcho(set Set, p *Probe, mode Mode) (Mux, error) {
	e := echo.New()
	for _, rt := range set.Routes {
		e.Add(rt.Method, rt.Path, echoHandler(rt, p, mode))
	}
	return Mux{HTTP: e}, nil
}

func echoHandler(rt Route, p *Probe, mode Mode) echo.HandlerFunc {
	switch mode {
	case Count:
		return func(*echo.Context) error {
			p.Hits++
			return nil
		}
	case Read:
		return func(c *echo.Context) error {
			p.Hits++
			values := c.PathValues()
			for i := range values {
				p.String(values[i].Value)
			}
			return nil
		}
	}
	return func(c *echo.Context) error {
		p.note(rt, c.Param)
		return nil
	}
}
