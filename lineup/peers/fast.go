package main

import (
	"context"
	"net"
	"strings"

	"github.com/fasthttp/router"
	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
)

// serveFast runs a fasthttp server until stop ends.
func serveFast(stop context.Context, ln net.Listener, handler fasthttp.RequestHandler) error {
	srv := &fasthttp.Server{Handler: handler, NoDefaultServerHeader: true, ReadBufferSize: 16 << 10, CloseOnShutdown: true}
	done := context.AfterFunc(stop, func() { srv.Shutdown() })
	defer done()
	return srv.Serve(ln)
}

func fasthttpRouter(stop context.Context, ln net.Listener, w *work) error {
	send := func(ctx *fasthttp.RequestCtx, r reply) {
		ctx.SetStatusCode(r.status)
		ctx.SetContentType(r.kind)
		ctx.SetBody(r.body)
	}
	plain := func(do func() reply) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) { send(ctx, do()) }
	}
	survey := func(do surveyFunc) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) {
			// The collection's name outlives the request in the batches; the rest is copied into the document.
			send(ctx, do(strings.Clone(ctx.UserValue("survey").(string)), ctx.UserValue("user").(string), ctx.PostBody()))
		}
	}
	r := router.New()
	register(w, r.Handle, plain, survey)
	return serveFast(stop, ln, r.Handler)
}

func serveFiber(stop context.Context, ln net.Listener, w *work) error {
	send := func(c fiber.Ctx, r reply) error {
		c.Set(fiber.HeaderContentType, r.kind)
		return c.Status(r.status).Send(r.body)
	}
	plain := func(do func() reply) fiber.Handler {
		return func(c fiber.Ctx) error { return send(c, do()) }
	}
	survey := func(do surveyFunc) fiber.Handler {
		return func(c fiber.Ctx) error {
			return send(c, do(strings.Clone(c.Params("survey")), c.Params("user"), c.Body()))
		}
	}
	app := fiber.New()
	register(w, func(method, path string, h fiber.Handler) { app.Add([]string{method}, colons(path), h) }, plain, survey)
	return serveFast(stop, ln, app.Handler())
}
