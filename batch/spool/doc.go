// Package spool is a log of documents on disk: what is appended to it survives the death of the
// process, and is replayed by the next one until it is settled. It is what stands behind level Spool
// of package batch; it knows nothing of databases.
//
// A whole program, to be started twice:
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/rapidrest/rapidrest/batch/spool"
//		"go.mongodb.org/mongo-driver/v2/bson"
//	)
//
//	func main() {
//		log, err := spool.Open(spool.Config{Dir: "answers.spool", Name: "answers"})
//		if err != nil {
//			panic(err)
//		}
//		for r := range log.Replay() { // of the process before this one
//			fmt.Println(bson.Raw(r.Doc))
//			log.Settle([]spool.Settled{{Pos: r.Pos, Size: len(r.Doc)}})
//		}
//		doc, _ := bson.Marshal(bson.D{{Key: "n", Value: 1}})
//		err = log.Append([]spool.Record{{Doc: doc}}) // nil: it survives kill -9
//		fmt.Println(err, log.Close())
//	}
//
// # On disk
//
// A directory holds segments, files of records with a checksum each, beside each segment a file that
// says which of its records are settled, and a file whose lock keeps other processes out. A segment
// all of whose records are settled is removed. A record's position is where it begins in the log as
// a whole, and never used again.
//
// # Behaviour
//
//	Append returns nil        the records are written; with FsyncBatch they are forced to the disk
//	Append returns an error   none of the records will be replayed
//	many callers at once      one write and one fsync for all who came while the last one ran
//	the disk or MaxBytes full ErrFull; what was appended before is untouched
//	the process dies          what was appended and not settled is replayed. What was settled in the last
//	                          moment may be replayed too: who sends it must bear sending it twice
//	a write was cut short     the tail is cut off at the first record that isn't whole
//	a record is damaged       it is reported, set aside in a file named .bad, and skipped; the records
//	                          behind it are found again
//	another process           ErrLocked
package spool
