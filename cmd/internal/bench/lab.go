package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A lab is the database and the subjects, up and ready.
type lab struct {
	dir      string
	database *process // nil when the user gave a URI: then its CPU is not ours to see
	client   *mongo.Client
	db       *mongo.Database
	subjects []*subject
}

// A subject is a server that is measured.
type subject struct {
	name string
	url  string
	*process
}

// openLab starts everything. On an error nothing is left running.
func openLab(ctx context.Context, c *Config) (_ *lab, err error) {
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
		args := []string{"mongo", "--listen", "127.0.0.1:0", "--data", filepath.Join(l.dir, "data")}
		if l.database, uri, err = launch(ctx, c.Binary, l.dir, args, "mongodb://"); err != nil {
			return nil, err
		}
		uri = "mongodb://" + uri
	}
	if l.client, err = mongo.Connect(options.Client().ApplyURI(uri)); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	l.db = l.client.Database("rapidrest_bench_" + bson.NewObjectID().Hex())
	for _, s := range c.Subjects {
		if err := l.add(ctx, c, s, uri); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *lab) add(ctx context.Context, c *Config, s Subject, uri string) error {
	args := append(slices.Clone(s.Args), "--listen", "127.0.0.1:0", "--mongo-uri", uri,
		"--database", l.db.Name(), "--batch-size", strconv.Itoa(c.BatchSize))
	p, url, err := launch(ctx, c.Binary, l.dir, args, "listening on ")
	if err != nil {
		return err
	}
	l.subjects = append(l.subjects, &subject{name: s.Name, url: url, process: p})
	return nil
}

// close ends all processes, the database last, and removes what they left.
func (l *lab) close() error {
	var faults []error
	for _, s := range l.subjects {
		faults = append(faults, s.stop())
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
		faults = append(faults, l.database.stop())
	}
	if l.dir != "" {
		faults = append(faults, os.RemoveAll(l.dir))
	}
	return errors.Join(faults...)
}

// settleTimeout bounds the wait for what buffers still hold when the last answer has come.
const settleTimeout = 30 * time.Second

// settle returns when the collection seems to hold want documents, or after settleTimeout. It asks
// for the collection's statistics, which the database has at hand: counting 30,000 documents
// again and again would take more of its time than storing them did.
func (l *lab) settle(ctx context.Context, collection string, want int64) error {
	timeout := time.NewTimer(settleTimeout)
	defer timeout.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		var stats struct{ Count int64 }
		err := l.db.RunCommand(ctx, bson.D{{Key: "collStats", Value: collection}}).Decode(&stats)
		if err == nil && stats.Count >= want {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout.C:
			return nil // the count will tell
		case <-time.After(pause):
		}
	}
}

// verify counts the collection's documents, one by one, and drops it. A wrong count is an error.
func (l *lab) verify(ctx context.Context, collection string, want int64) (int64, error) {
	c := l.db.Collection(collection)
	n, err := c.CountDocuments(ctx, bson.D{})
	if err != nil {
		return 0, fmt.Errorf("counting collection %q: %w", collection, err)
	}
	if n != want {
		return n, fmt.Errorf("%d documents in collection %q, and there should be %d", n, collection, want)
	}
	return n, c.Drop(ctx)
}
