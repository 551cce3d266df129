package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/store"
)

// deadletterCommand is about the file of documents that ended badly while nobody waited.
type deadletterCommand struct {
	Replay deadletterReplayCommand `cmd:"" help:"Send the documents of a dead letter to the database once more. The file stays as it is."`
}

type deadletterReplayCommand struct {
	File     string `arg:"" help:"The dead letter (NDJSON)." type:"existingfile"`
	MongoURI string `help:"Connection string of the MongoDB to send to." required:"" placeholder:"mongodb://…"`
	Database string `help:"Name of the database that collections are in." default:"rapidrest"`
	Rest     string `help:"File (NDJSON) for documents that are not stored this time either. Empty: FILE.rest." type:"path" placeholder:"FILE"`
}

// Run sends every document of the file and says how they ended. A document that is there already,
// byte for byte, counts as stored: an earlier attempt may have got through, or an earlier replay.
func (c *deadletterReplayCommand) Run(p *process) error {
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	if c.Rest == "" {
		c.Rest = c.File + ".rest"
	}
	rest, err := batch.OpenDeadLetter(c.Rest, 0)
	if err != nil {
		return err
	}
	defer rest.Close()
	db, err := store.Open(p.stop, store.Config{URI: c.MongoURI, Database: c.Database})
	if err != nil {
		return err
	}
	defer db.Close(context.Background())

	stored, again, unread := 0, 0, 0
	for letter, err := range batch.ReadDeadLetter(file) {
		if p.stop.Err() != nil {
			return fmt.Errorf("stopped after %d documents; a second replay is harmless", stored+again)
		}
		if err != nil {
			unread++
			p.log.Error("a line of the dead letter can't be read", "error", err)
			continue
		}
		reason, err := resend(p.stop, db.Collection(letter.Collection), letter.Document)
		if err != nil {
			return err
		}
		if reason == "" {
			stored++
			continue
		}
		again++
		letter.Outcome.Reason = reason
		if err := rest.Write([]batch.Letter{letter}); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.stdout, "%d stored, %d not stored", stored, again)
	if again > 0 {
		fmt.Fprintf(p.stdout, " (they are in %s)", rest.Path())
	}
	fmt.Fprintln(p.stdout)
	if unread > 0 {
		return fmt.Errorf("%d lines of %q can't be read", unread, c.File)
	}
	return nil
}

// resend stores one document. The reason says why it is not stored; the error is for a database that
// can't be asked.
func resend(ctx context.Context, sink *store.Collection, doc []byte) (reason string, err error) {
	outcomes, err := sink.Insert(ctx, [][]byte{doc})
	if err != nil {
		var fault *batch.Fault
		if errors.As(err, &fault) && fault.Kind == batch.Refused {
			return fault.Error(), nil
		}
		return "", err
	}
	switch o := outcomes[0]; {
	case o.Kind == batch.Stored:
		return "", nil
	case o.DuplicateID:
		held, err := sink.Holds(ctx, doc)
		if err != nil || held {
			return "", err
		}
		return o.Reason, nil
	default:
		return o.Reason, nil
	}
}
