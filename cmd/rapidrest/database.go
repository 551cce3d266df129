package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/rapidrest/rapidrest/cmd/internal/embedded"
)

// databaseFlags say which MongoDB a server writes to.
type databaseFlags struct {
	MongoURI string `help:"Connection string of a MongoDB, replica sets and clusters included. Empty: an embedded database under --data." placeholder:"mongodb://…"`
	Data     string `help:"Directory of the embedded database's files; created if missing." default:"./rapidrest-data" type:"path"`
	Database string `help:"Name of the database that collections are in." default:"rapidrest"`
}

// What MongoDB takes as the name of a database, on any system: the manual's "Naming Restrictions".
const (
	notInDatabase   = "/\\. \"$*<>:|?\x00"
	longestDatabase = 63 // bytes
)

// Validate refuses a name that no database can have, and a connection string that names no MongoDB, before
// anything is started: what is accepted for such a database could never be stored.
func (f *databaseFlags) Validate() error {
	switch {
	case f.Database == "":
		return fmt.Errorf("--database is empty")
	case len(f.Database) > longestDatabase || strings.ContainsAny(f.Database, notInDatabase):
		return fmt.Errorf("--database %q: a name has at most %d bytes, and none of %q", f.Database, longestDatabase, notInDatabase)
	}
	if f.MongoURI == "" {
		return nil
	}
	if u, err := url.Parse(f.MongoURI); err == nil && (u.Scheme == "mongodb" || u.Scheme == "mongodb+srv") {
		return nil
	}
	return fmt.Errorf("--mongo-uri must begin with mongodb:// or mongodb+srv://")
}

// with runs serve with the URI to connect to. Without --mongo-uri it starts the embedded database
// first, prints its URI so that any MongoDB client can look in, and stops it at the end. That
// database does not end with the signal that stops the server, which still drains into it.
func (f *databaseFlags) with(p *process, serve func(uri string) error) error {
	if f.MongoURI != "" {
		return serve(f.MongoURI)
	}
	db, err := embedded.Start(context.Background(), embedded.Config{Listen: "127.0.0.1:0", Dir: f.Data})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "database at %s\n", db.URI())
	return errors.Join(serve(db.URI()), db.Close())
}
