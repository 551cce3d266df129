package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/batch/spool"
)

const (
	// stillness is how long nothing may be delivered before we believe that nothing
	// will be. The longest pause between two attempts, and the longest attempt, are far
	// below it.
	stillness = time.Minute

	// settlePoll is how often we look.
	settlePoll = time.Second
)

// settle waits for what is on its way, ends the server as an operator would, and
// closes the ledger.
func (x *experiment) settle(ctx context.Context) error {
	client, err := mongo.Connect(options.Client().ApplyURI(databaseReady + x.database.addr + "/"))
	if err != nil {
		return fmt.Errorf("torture: %w", err)
	}
	defer client.Disconnect(context.WithoutCancel(ctx))
	db := client.Database(databaseName)
	entries, statuses := x.ledger.close()
	x.report.Statuses = statuses

	begun := time.Now()
	if err := x.deliver(ctx, db); err != nil {
		return err
	}
	if err := x.front.p.Stop(stopTimeout); err != nil && x.report.Undelivered == 0 {
		return fmt.Errorf("torture: the server's end: %w; it said: %s", err, x.front.p.Stderr())
	}
	x.report.Settled = time.Since(begun)
	x.report.Sums, err = verify(ctx, db, x.cfg.Seed, entries)
	return err
}

// deliver returns when nothing is left to be delivered, or nothing has been for too
// long, or the time for it is over; what is left then stands in the report.
func (x *experiment) deliver(ctx context.Context, db *mongo.Database) error {
	begun := time.Now()
	since, least := begun, -1
	for n := 0; ; n++ {
		left, err := x.left(ctx, db)
		if err != nil {
			return err
		}
		if left != least {
			since, least = time.Now(), left
		}
		if left == 0 || time.Since(since) > stillness || time.Since(begun) > x.cfg.Patience {
			x.report.Undelivered = left
			return nil
		}
		if n%10 == 0 {
			x.say("%d documents are on their way", left)
		}
		if !until(ctx, time.Now(), settlePoll) {
			return ctx.Err()
		}
	}
}

// left is how many documents are still on their way: those in the spool that have no
// outcome yet. Where there is no spool they are in the server's memory, and it is
// how many of those that were accepted the database does not hold.
func (x *experiment) left(ctx context.Context, db *mongo.Database) (int, error) {
	if x.cfg.Level == "spool" {
		return spooled(x.spool)
	}
	held := 0
	for where := range collections {
		n, err := size(ctx, db.Collection(collection(where)))
		if err != nil {
			return 0, err
		}
		held += n
	}
	return max(0, x.report.Accepted-held), nil
}

// spooled is how many documents the spools below a directory hold that have no
// outcome.
func spooled(root string) (int, error) {
	dirs, err := spool.Dirs(root)
	n := 0
	for _, dir := range dirs {
		segments, listErr := spool.List(dir)
		if !errors.Is(listErr, os.ErrNotExist) {
			err = errors.Join(err, listErr)
		}
		for _, s := range segments {
			n += s.Pending
		}
	}
	if err != nil {
		return 0, fmt.Errorf("torture: %w", err)
	}
	return n, nil
}

// size is the number of documents by a collection's statistics: FerretDB answers a
// count by reading every document, for half a minute and more, which is time it
// should spend on storing.
func size(ctx context.Context, coll *mongo.Collection) (int, error) {
	stats, err := coll.Database().RunCommand(ctx, bson.D{{Key: "collStats", Value: coll.Name()}}).Raw()
	if err != nil {
		return 0, fmt.Errorf("torture: size of a collection: %w", err)
	}
	n, ok := stats.Lookup("count").AsInt64OK()
	if !ok {
		return 0, fmt.Errorf("torture: size of a collection: collStats answered %v", stats)
	}
	return int(n), nil
}
