package main

import (
	"net/http"
	"strings"
)

// A surveyFunc is the work of a route with a body.
type surveyFunc func(survey, user string, body []byte) reply

// register adds the scenario routes to a router with the router's own handlers H: plain makes
// those of routes without a body, survey the others.
func register[H any](w *work, add func(method, path string, h H), plain func(func() reply) H, survey func(surveyFunc) H) {
	add(http.MethodGet, "/hello", plain(w.hello))
	add(http.MethodGet, "/timestamp", plain(w.timestamp))
	add(http.MethodPost, "/documents", plain(w.newDocument))
	add(http.MethodGet, "/documents", plain(w.firstDocument))
	add(http.MethodPost, "/survey/{survey}/{user}", survey(w.survey))
	add(http.MethodPut, "/survey/{survey}/{user}", survey(w.upsert))
	add(http.MethodPost, "/surveybatched/{survey}/{user}", survey(w.surveyBatched))
	add(http.MethodPost, "/surveynodb/{survey}/{user}", survey(w.surveyNoDB))
}

// colons writes the parameters of a path as :name, as many routers want them.
func colons(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}
