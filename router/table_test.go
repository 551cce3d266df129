package router_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

// A Table needs no New, and groups that are made before anything else register with it.
func TestZeroTable(t *testing.T) {
	var table router.Table
	api := table.Group("/api")
	table.Type("even", func(b []byte) bool { return (b[len(b)-1]-'0')%2 == 0 })
	api.Group("/v1").Get("/numbers/{n:even}", func(*router.Ctx) error { return nil })
	m, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.Routes()); n != 1 || m.Routes()[0].Pattern() != "/api/v1/numbers/{n:even}" {
		t.Errorf("%d routes: %v", n, m.Routes())
	}
	if m, err := new(router.Table).Compile(); err != nil || len(m.Routes()) != 0 {
		t.Errorf("a table without routes: %v", err)
	}
}

// A fault names the line that registered the route, whatever the method is called through.
func TestFaultsNameTheirPlace(t *testing.T) {
	type getter interface {
		Get(pattern string, h router.Handler, mw ...router.Middleware) *router.Route
	}
	for name, get := range map[string]func(*router.Table){
		"table":     func(t *router.Table) { t.Get("no-slash", nil) },
		"group":     func(t *router.Table) { t.Group("").Get("no-slash", nil) },
		"use":       func(t *router.Table) { t.Use(nil, nil) },
		"interface": func(t *router.Table) { getter(t).Get("no-slash", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			table := router.New()
			get(table)
			_, err := table.Compile()
			var faults router.Faults
			if !errors.As(err, &faults) || len(faults) == 0 || !strings.Contains(faults[0].Sites[0], "table_test.go:") {
				t.Errorf("%v", err)
			}
		})
	}
}
