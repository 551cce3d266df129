package router

import (
	"net/http"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"
)

// FastHTTP makes a handler of any fasthttp.RequestHandler. The parameters are not passed on.
func FastHTTP(h fasthttp.RequestHandler) Handler {
	return func(c *Ctx) error {
		h(c.RequestCtx)
		return nil
	}
}

// NetHTTP makes a handler of a net/http handler, at the cost of a net/http request and
// response per request. The parameters are passed on as net/http's path values: http.Request.PathValue.
func NetHTTP(h http.Handler) Handler {
	return func(c *Ctx) error {
		fasthttpadaptor.NewFastHTTPHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.route != nil {
				for i, name := range c.route.parsed.names {
					r.SetPathValue(name, string(c.ParamBytes(i)))
				}
			}
			h.ServeHTTP(w, r)
		}))(c.RequestCtx)
		return nil
	}
}
