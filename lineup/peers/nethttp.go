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

// plain and survey are handlers of net/http; param reads a parameter the router's way.
func plain(do func() reply) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { send(w, do()) }
}

func survey(do func(survey, user string, body []byte) reply, param func(r *http.Request, name string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			send(w, problem(http.StatusBadRequest, err))
			return
		}
		send(w, do(param(r, "survey"), param(r, "user"), body))
	}
}

func netHTTP(stop context.Context, ln net.Listener, w *work) error {
	param := (*http.Request).PathValue
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", plain(w.hello))
	mux.HandleFunc("GET /timestamp", plain(w.timestamp))
	mux.HandleFunc("POST /documents", plain(w.newDocument))
	mux.HandleFunc("GET /documents", plain(w.firstDocument))
	mux.HandleFunc("POST /survey/{survey}/{user}", survey(w.survey, param))
	mux.HandleFunc("PUT /survey/{survey}/{user}", survey(w.upsert, param))
	mux.HandleFunc("POST /surveybatched/{survey}/{user}", survey(w.surveyBatched, param))
	mux.HandleFunc("POST /surveynodb/{survey}/{user}", survey(w.surveyNoDB, param))
	return serveHTTP(stop, ln, mux)
}

func serveChi(stop context.Context, ln net.Listener, w *work) error {
	r := chi.NewRouter()
	r.Get("/hello", plain(w.hello))
	r.Get("/timestamp", plain(w.timestamp))
	r.Post("/documents", plain(w.newDocument))
	r.Get("/documents", plain(w.firstDocument))
	r.Post("/survey/{survey}/{user}", survey(w.survey, chi.URLParam))
	r.Put("/survey/{survey}/{user}", survey(w.upsert, chi.URLParam))
	r.Post("/surveybatched/{survey}/{user}", survey(w.surveyBatched, chi.URLParam))
	r.Post("/surveynodb/{survey}/{user}", survey(w.surveyNoDB, chi.URLParam))
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
	survey := func(do func(survey, user string, body []byte) reply) gin.HandlerFunc {
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
	e.GET("/hello", plain(w.hello))
	e.GET("/timestamp", plain(w.timestamp))
	e.POST("/documents", plain(w.newDocument))
	e.GET("/documents", plain(w.firstDocument))
	e.POST("/survey/:survey/:user", survey(w.survey))
	e.PUT("/survey/:survey/:user", survey(w.upsert))
	e.POST("/surveybatched/:survey/:user", survey(w.surveyBatched))
	e.POST("/surveynodb/:survey/:user", survey(w.surveyNoDB))
	return serveHTTP(stop, ln, e)
}

func serveEcho(stop context.Context, ln net.Listener, w *work) error {
	plain := func(do func() reply) echo.HandlerFunc {
		return func(c *echo.Context) error {
			r := do()
			return c.Blob(r.status, r.kind, r.body)
		}
	}
	survey := func(do func(survey, user string, body []byte) reply) echo.HandlerFunc {
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
	e.GET("/hello", plain(w.hello))
	e.GET("/timestamp", plain(w.timestamp))
	e.POST("/documents", plain(w.newDocument))
	e.GET("/documents", plain(w.firstDocument))
	e.POST("/survey/:survey/:user", survey(w.survey))
	e.PUT("/survey/:survey/:user", survey(w.upsert))
	e.POST("/surveybatched/:survey/:user", survey(w.surveyBatched))
	e.POST("/surveynodb/:survey/:user", survey(w.surveyNoDB))
	return serveHTTP(stop, ln, e)
}
