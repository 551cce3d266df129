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
	survey := func(do func(survey, user string, body []byte) reply) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) {
			// The collection's name outlives the request in the batches; the rest is copied into the document.
			send(ctx, do(strings.Clone(ctx.UserValue("survey").(string)), ctx.UserValue("user").(string), ctx.PostBody()))
		}
	}
	r := router.New()
	r.GET("/hello", plain(w.hello))
	r.GET("/timestamp", plain(w.timestamp))
	r.POST("/documents", plain(w.newDocument))
	r.GET("/documents", plain(w.firstDocument))
	r.POST("/survey/{survey}/{user}", survey(w.survey))
	r.PUT("/survey/{survey}/{user}", survey(w.upsert))
	r.POST("/surveybatched/{survey}/{user}", survey(w.surveyBatched))
	r.POST("/surveynodb/{survey}/{user}", survey(w.surveyNoDB))
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
	survey := func(do func(survey, user string, body []byte) reply) fiber.Handler {
		return func(c fiber.Ctx) error {
			return send(c, do(strings.Clone(c.Params("survey")), c.Params("user"), c.Body()))
		}
	}
	app := fiber.New()
	app.Get("/hello", plain(w.hello))
	app.Get("/timestamp", plain(w.timestamp))
	app.Post("/documents", plain(w.newDocument))
	app.Get("/documents", plain(w.firstDocument))
	app.Post("/survey/:survey/:user", survey(w.survey))
	app.Put("/survey/:survey/:user", survey(w.upsert))
	app.Post("/surveybatched/:survey/:user", survey(w.surveyBatched))
	app.Post("/surveynodb/:survey/:user", survey(w.surveyNoDB))
	return serveFast(stop, ln, app.Handler())
}
