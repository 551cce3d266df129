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
		ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
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

// countTimeout bounds the wait for what buffers still hold when the last answer has come, and
// every other word with the database.
const countTimeout = 20 * time.Second

// await returns when the collection holds want documents, or with how many there are.
func (l *lab) await(ctx context.Context, collection string, want int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	pause := time.Millisecond
	for last := int64(-1); ; {
		n, err := l.db.Collection(collection).CountDocuments(ctx, bson.D{})
		switch {
		case err == nil && n >= want:
			return n, nil
		case err == nil:
			last = n
		case ctx.Err() == nil:
			return last, fmt.Errorf("bench: counting collection %q: %w", collection, err)
		}
		select {
		case <-ctx.Done():
			return last, nil
		case <-time.After(pause):
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}
