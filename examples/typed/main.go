// Command typed is a small notebook on the router: typed handlers, groups, and middleware around
// them.
//
//	TOKEN=secret go run ./examples/typed
//	curl -H 'Authorization: Bearer secret' -d '{"text":"milk"}' http://127.0.0.1:8080/api/notes
//	curl http://127.0.0.1:8080/api/notes/1
package main

import (
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/router/middleware"
)

func main() {
	matcher, err := routes(newNotebook(), os.Getenv("TOKEN"), slog.Default()).Compile()
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(router.NewServer(matcher, router.Limits{}).ListenAndServe("127.0.0.1:8080"))
}

// routes puts the table together. Everybody may read; who writes needs the token.
func routes(book *notebook, token string, logger *slog.Logger) *router.Table {
	table := router.New()
	table.Logger = logger
	table.Use(middleware.RequestID(), middleware.AccessLog(logger), middleware.CORS(middleware.CORSConfig{Origins: []string{"*"}}))

	api := table.Group("/api", middleware.RateLimit(middleware.RateLimitConfig{Rate: 50}),
		middleware.Timeout(middleware.TimeoutConfig{After: 5 * time.Second}))
	api.Get("/notes", router.JSON(book.list), middleware.ETag())
	api.Get("/notes/{id:uint}", router.JSON(book.show), middleware.ETag())

	writers := api.Group("/notes", middleware.BearerToken(token), middleware.BodyLimit(64<<10), middleware.Decompress(64<<10))
	writers.Post("", router.JSON(book.add))
	writers.Put("/{id:uint}", router.JSON(book.change))
	writers.Delete("/{id:uint}", router.JSON(book.remove))
	return table
}
