package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
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
	r := &resender{
		resend: func(collection string, doc []byte) (string, error) {
			return resend(p.stop, db.Collection(collection), doc)
		},
		ping: func() error { return db.Ping(p.stop) },
		rest: rest,
		log:  p.log,
	}
	err = r.all(p.stop, batch.ReadDeadLetter(file))
	fmt.Fprintf(p.stdout, "%d stored, %d not stored", r.stored, r.again)
	if r.again > 0 {
		fmt.Fprintf(p.stdout, " (they are in %s)", rest.Path())
	}
	fmt.Fprintln(p.stdout)
	if r.unread > 0 {
		err = errors.Join(err, fmt.Errorf("%d lines of %q can't be read", r.unread, c.File))
	}
	return err
}

// resender sends the documents of a dead letter.
type resender struct {
	resend func(collection string, doc []byte) (reason string, err error)
	ping   func() error
	rest   *batch.DeadLetter
	log    *slog.Logger

	stored, again, unread int
	down                  error // why the database can't be reached any more
}

// all sends every letter. What is not stored goes into the rest, whatever the reason, and the others
// have their turn. Once the database is gone they have it by going into the rest: each attempt would
// take seconds.
func (r *resender) all(stop context.Context, letters iter.Seq2[batch.Letter, error]) error {
	var failed error
	for letter, err := range letters {
		if err != nil {
			r.unread++
			r.log.Error("a line of the dead letter can't be read", "error", err)
			continue
		}
		reason, err := r.send(letter)
		if stop.Err() != nil {
			return fmt.Errorf("stopped after %d documents; a second replay is harmless", r.stored+r.again)
		}
		if err != nil {
			failed, reason = cmp.Or(failed, err), err.Error()
		}
		if reason == "" {
			r.stored++
			continue
		}
		letter.Outcome.Reason = reason
		if err := r.rest.Write([]batch.Letter{letter}); err != nil {
			return errors.Join(failed, err)
		}
		r.again++
	}
	return failed
}

func (r *resender) send(letter batch.Letter) (reason string, err error) {
	if r.down != nil {
		return "", r.down
	}
	reason, err = r.resend(letter.Collection, letter.Document)
	if err != nil {
		r.down = r.ping()
	}
	return reason, err
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
		held, err := sink.Holds(ctx, [][]byte{doc})
		if err != nil || held[0] {
			return "", err
		}
		return o.Reason, nil
	default:
		return o.Reason, nil
	}
}
