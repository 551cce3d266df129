// Package embedded runs a MongoDB-compatible database inside this process:
// FerretDB on SQLite, behind four functions. It is what `rapidrest serve` keeps
// its documents in when no MongoDB is named, what `rapidrest mongo` serves, and
// what the tests write to.
//
// A whole program:
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//
//		"github.com/rapidrest/rapidrest/cmd/internal/embedded"
//	)
//
//	func main() {
//		db, err := embedded.Start(context.Background(), embedded.Config{
//			Listen: "127.0.0.1:27017",
//			Dir:    "rapidrest-data",
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Println(db.URI()) // any MongoDB client can look in
//		log.Fatal(db.Wait())
//	}
//
// What it does, and when:
//
//	the directory is missing        it is created, readable by its owner only
//	another process has it open     Start returns ErrLocked; nothing is touched
//	it holds a database without a   the process was killed while it made that
//	single table                    database: its file is removed
//	the address is taken            Start returns one line that names the address
//	the context of Start ends       as Close
//	Close                           stops listening, waits for the connections
//	                                (FerretDB gives them three seconds), closes the
//	                                files, unlocks the directory; twice is harmless
//
// The database listens where it is told and talks to nobody else: FerretDB's
// telemetry is off, as it always is in its embeddable form. What it cannot hold
// (arrays within arrays, keys with a dot, decimal128, …) is known to package
// document as a set of limits.
package embedded
