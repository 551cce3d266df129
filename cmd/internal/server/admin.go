package server

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Admin returns a server of what operators ask, for a port of its own that the network's clients
// do not reach:
//
//	/metrics        Prometheus text
//	/live, /ready   as on the main port, but /ready says why not
//	/debug/pprof/   Go's profiles
func (s *Server) Admin() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry(), promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, health{Status: "live"})
	})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.probe.check(); err != nil {
			w.Header().Set("Retry-After", "1")
			say(w, http.StatusServiceUnavailable, health{Status: "the store does not answer", Error: err.Error()})
			return
		}
		say(w, http.StatusOK, health{Status: "ready"})
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
	}
}

func say(w http.ResponseWriter, status int, h health) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(h)
}
