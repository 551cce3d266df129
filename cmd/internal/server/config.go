package server

import (
	"log/slog"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/router"
)

// Config of a server. MongoURI and Database are required.
type Config struct {
	// MongoURI and Database say which database the documents go to.
	MongoURI, Database string
	// Collections are the only ones served; empty: every one but MongoDB's own.
	Collections []string
	// Reply is the level at which a POST is answered, unless the client prefers another.
	Reply batch.Level
	// Batch is the configuration of every collection's buffer but for Name, Level, Dir, Logger
	// and DeadLetter, which are set here.
	Batch batch.Config
	// DeadLetter is the file that takes documents which ended badly while nobody waited; empty:
	// they are only counted and logged.
	DeadLetter string
	// HTTP bounds what the network may ask of the server.
	HTTP router.Limits
	// MaxInflated bounds a compressed body once it is inflated, in bytes. 0: ten times MaxBody.
	MaxInflated int
	// Logger hears of faults, retries and dead letters. Nil: slog.Default.
	Logger *slog.Logger
}
