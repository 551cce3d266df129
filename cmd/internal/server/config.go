package server

import (
	"log/slog"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// Config of a server. MongoURI and Database are required.
type Config struct {
	// MongoURI and Database say which database the documents go to.
	MongoURI, Database string
	// Collections are the only ones served; empty: every one but MongoDB's own.
	Collections []string
	// Reply is the level at which a POST is answered, unless the client prefers another. 0: batch.Spool
	// where there is a spool, else batch.Store.
	Reply batch.Level
	// Batch is the configuration of every collection's buffer but for Name, Level, Dir, Logger and
	// DeadLetter, which are set here.
	Batch batch.Config
	// SpoolDir is the directory of the spools, one below it for each collection. Empty: there is no
	// level batch.Spool. It belongs to one server at a time.
	SpoolDir string
	// DeadLetter is the file that takes documents which ended badly while nobody waited; empty:
	// they are only counted and logged.
	DeadLetter string
	// Document says how JSON becomes a document; its Limits are the store's.
	Document document.Options
	// Validate and RequireIfMatch are those of resource.Config.
	Validate       func(collection string, doc []byte) error
	RequireIfMatch bool
	// HTTP bounds what the network may ask of the server.
	HTTP router.Limits
	// MaxInflated bounds a compressed body once it is inflated, in bytes. 0: ten times HTTP.MaxBody.
	MaxInflated int
	// Tokens guard the collections; nil: anybody may use them.
	Tokens *Tokens
	// Logger hears of faults, retries and dead letters. Nil: slog.Default.
	Logger *slog.Logger
}
