package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v5"
)

// maxBody is the most that a body may have, as on the other servers.
const maxBody = 4 << 20

// serveHTTP runs a net/http server until stop ends.
func serveHTTP(stop context.Context, ln net.Listener, handler http.Handler) error {
	srv := &http.Server{Handler: handler}
	ended := make(chan error, 1)
	done := context.AfterFunc(stop, func() {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		ended <- srv.Shutdown(ctx)
	})
	defer done()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

func send(w http.ResponseWriter, r reply) {
	w.Header().Set("Content-Type", r.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(r.body)))
	w.WriteHeader(r.status)
	w.Write(r.body)
}

func plain(do func() reply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { send(w, do()) })
}

// survey makes handlers of net/http that read a parameter the router's way.
func survey(param func(r *http.Request, name string) string) func(surveyFunc) http.Handler {
	return func(do surveyFunc) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err != nil {
				send(w, problem(http.StatusBadRequest, err))
				return
			}
			send(w, do(param(r, "survey"), param(r, "user"), body))
		})
	}
}

func netHTTP(stop context.Context, ln net.Listener, w *work) error {
	mux := http.NewServeMux()
	add := func(method, path string, h http.Handler) { mux.Handle(method+" "+path, h) }
	register(w, add, plain, survey((*http.Request).PathValue))
	return serveHTTP(stop, ln, mux)
}

func serveChi(stop context.Context, ln net.Listener, w *work) error {
	r := chi.NewRouter()
	register(w, r.Method, plain, survey(chi.URLParam))
	return serveHTTP(stop, ln, r)
}

func serveGin(stop context.Context, ln net.Listener, w *work) error {
	gin.SetMode(gin.ReleaseMode)
	plain := func(do func() reply) gin.HandlerFunc {
		return func(c *gin.Context) {
			r := do()
			c.Data(r.status, r.kind, r.body)
		}
	}
	survey := func(do surveyFunc) gin.HandlerFunc {
		return func(c *gin.Context) {
			body, err := c.GetRawData()
			if err != nil {
				c.AbortWithStatus(http.StatusBadRequest)
				return
			}
			r := do(c.Param("survey"), c.Param("user"), body)
			c.Data(r.status, r.kind, r.body)
		}
	}
	e := gin.New()
	register(w, func(method, path string, h gin.HandlerFunc) { e.Handle(method, colons(path), h) }, plain, survey)
	return serveHTTP(stop, ln, e)
}

func serveEcho(stop context.Context, ln net.Listener, w *work) error {
	plain := func(do func() reply) echo.HandlerFunc {
		return func(c *echo.Context) error {
			r := do()
			return c.Blob(r.status, r.kind, r.body)
		}
	}
	survey := func(do surveyFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, maxBody))
			if err != nil {
				return err
			}
			r := do(c.Param("survey"), c.Param("user"), body)
			return c.Blob(r.status, r.kind, r.body)
		}
	}
	e := echo.New()
	register(w, func(method, path string, h echo.HandlerFunc) { e.Add(method, colons(path), h) }, plain, survey)
	return serveHTTP(stop, ln, e)
}
