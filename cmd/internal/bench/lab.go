package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/cmd/internal/child"
)

// A lab is the database and the subjects, up and ready.
type lab struct {
	dir      string
	database *child.Process // nil when the user gave a URI: then its CPU is not ours to see
	client   *mongo.Client
	db       *mongo.Database
	subjects []*subject
}

// A subject is a server that is measured.
type subject struct {
	name       string
	url        string
	noDatabase bool
	*child.Process
}

// openLab starts everything. On an error nothing is left running.
func openLab(c *Config) (_ *lab, err error) {
	l := &lab{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if l.dir, err = os.MkdirTemp("", "rapidrest-bench"); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	uri := c.MongoURI
	if uri == "" {
		if l.database, err = l.start(c, "mongodb://", "mongo", "--data", filepath.Join(l.dir, "data")); err != nil {
			return nil, err
		}
		uri = l.database.Line()
	}
	if l.client, err = mongo.Connect(options.Client().ApplyURI(uri)); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	l.db = l.client.Database("rapidrest_bench_" + bson.NewObjectID().Hex())
	for _, s := range c.Subjects {
		if err := l.add(c, s, uri); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *lab) add(c *Config, s Subject, uri string) error {
	args := append(slices.Clone(s.Args), "--mongo-uri", uri, "--database", l.db.Name(), "--batch-size", strconv.Itoa(c.BatchSize))
	program := c.Binary
	if s.Program != "" {
		program = s.Program
	}
	p, err := l.run(program, listening, args...)
	if err != nil {
		return fmt.Errorf("bench: subject %s: %w", s.Name, err)
	}
	l.subjects = append(l.subjects, &subject{name: s.Name, url: urlOf(p), noDatabase: s.NoDatabase, Process: p})
	return nil
}

// listening is how the line begins with which our servers say where they are.
const listening = "listening on "

func urlOf(p *child.Process) string { return strings.TrimPrefix(p.Line(), listening) }

// start runs a command of the binary on a free port, and waits for its ready line.
func (l *lab) start(c *Config, ready string, args ...string) (*child.Process, error) {
	return l.run(c.Binary, ready, args...)
}

func (l *lab) run(program, ready string, args ...string) (*child.Process, error) {
	return child.Start(child.Command{
		Path: program, Args: append(args, "--listen", "127.0.0.1:0"),
		Dir: l.dir, Env: environment(), Ready: ready,
	})
}

// environment is ours without the variables that stand for flags: a RAPIDREST_BATCH_SIZE of
// the user must not change one subject behind our back.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "RAPIDREST_") && !strings.HasPrefix(v, "RAPIDREST_TEST_")
	})
}

// stopTimeout is from SIGTERM to SIGKILL; servers drain for up to 30 s.
const stopTimeout = 40 * time.Second

// close ends all processes, the database last, and removes what they left.
func (l *lab) close() error {
	var faults []error
	for _, s := range l.subjects {
		faults = append(faults, stop(s.name, s.Process))
	}
	if l.db != nil {
		ctx, cancel := context.WithTimeout(context.Background(), settleTimeout)
		if err := l.db.Drop(ctx); err != nil {
			faults = append(faults, fmt.Errorf("bench: dropping database %s: %w", l.db.Name(), err))
		}
		l.client.Disconnect(ctx)
		cancel()
	}
	if l.database != nil {
		faults = append(faults, stop("database", l.database))
	}
	if l.dir != "" {
		faults = append(faults, os.RemoveAll(l.dir))
	}
	return errors.Join(faults...)
}

func stop(name string, p *child.Process) error {
	if err := p.Stop(stopTimeout); err != nil {
		return fmt.Errorf("bench: %s: %w; it said: %s", name, err, p.Stderr())
	}
	return nil
}

// settleTimeout bounds the wait for what buffers still hold when the last answer has come.
const settleTimeout = 30 * time.Second

// settle returns when the collection seems to hold want documents, or after settleTimeout. It asks
// for the collection's statistics, which the database has at hand: counting 30,000 documents
// again and again would take more of its time than storing them did. Even so a question costs the
// database some milliseconds, and a subject that answers first and stores later is asked about far
// longer than one whose clients wait: so the pauses are long beside the questions.
func (l *lab) settle(ctx context.Context, collection string, want int64) error {
	timeout := time.NewTimer(settleTimeout)
	defer timeout.Stop()
	for {
		asked := time.Now()
		if n, err := l.estimate(ctx, collection); err == nil && n >= want {
			return nil
		}
		pause := max(10*time.Millisecond, min(20*time.Since(asked), 200*time.Millisecond))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout.C:
			return nil // the count will tell
		case <-time.After(pause):
		}
	}
}

func (l *lab) estimate(ctx context.Context, collection string) (int64, error) {
	var stats struct{ Count int64 }
	err := l.db.RunCommand(ctx, bson.D{{Key: "collStats", Value: collection}}).Decode(&stats)
	return stats.Count, err
}

// seed leaves one document, as POST /documents does, in a collection of its own.
func (l *lab) seed(ctx context.Context, collection string) error {
	_, err := l.db.Collection(collection).InsertOne(ctx, bson.D{{Key: "title", Value: "Document 0"}})
	return err
}

// verify counts the collection's documents and, with the last run that needs it, drops it. A
// wrong count is an error. A collection that still grows is counted by its statistics, and one
// by one at the end.
func (l *lab) verify(ctx context.Context, collection string, want int64, last bool) error {
	c := l.db.Collection(collection)
	count := func() (int64, error) { return l.estimate(ctx, collection) }
	if last {
		count = func() (int64, error) { return c.CountDocuments(ctx, bson.D{}) }
	}
	n, err := count()
	if err != nil {
		return fmt.Errorf("counting collection %q: %w", collection, err)
	}
	if n != want {
		return fmt.Errorf("%d documents in collection %q, and there should be %d", n, collection, want)
	}
	if !last {
		return nil
	}
	return c.Drop(ctx)
}
