package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	"github.com/rapidrest/rapidrest/cmd/internal/faultproxy"
)

// experiment is one run.
type experiment struct {
	cfg      Config
	ledger   *ledger
	database *server
	proxy    *faultproxy.Proxy
	front    *server
	report   *Report
	log      sync.Mutex
}

// Run tortures a server and says what is missing. The error is for a run that
// could not be carried out, or in which a server ended by itself; broken promises
// are in the report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	x := &experiment{
		cfg:    cfg,
		ledger: newLedger(),
		report: &Report{Seed: cfg.Seed, Level: cfg.Level, Faults: make(map[string]int)},
	}
	defer x.end()
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	if err := x.load(ctx); err != nil {
		return nil, err
	}
	if err := x.settle(ctx); err != nil {
		return nil, err
	}
	return x.report, nil
}

// begin starts the database, the proxy and the server.
func (x *experiment) begin(ctx context.Context) (err error) {
	x.database = database(&x.cfg)
	if err := x.database.start(ctx); err != nil {
		return err
	}
	if x.proxy, err = faultproxy.Listen("127.0.0.1:0", x.database.addr); err != nil {
		return err
	}
	x.front = frontend(&x.cfg, databaseReady+x.proxy.Addr()+"/")
	return x.front.start(ctx)
}

// end lets nothing behind.
func (x *experiment) end() {
	if x.front != nil {
		x.front.kill()
	}
	if x.proxy != nil {
		x.proxy.Close()
	}
	x.database.kill()
}

// load lets the clients loose, kills and breaks, and returns once both are through
// and the time is over.
func (x *experiment) load(ctx context.Context) error {
	begun := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var clients sync.WaitGroup
	for i := range x.cfg.Connections {
		c := newClient(x.front.addr, x.ledger, x.cfg.Seed, i)
		clients.Go(func() { c.run(ctx) })
	}
	stream := func(number uint64) *rand.Rand { return rand.New(rand.NewPCG(x.cfg.Seed, number)) }
	harm, harmed := errgroup.WithContext(ctx)
	harm.Go(func() error { return x.killer(harmed, stream(1<<62), begun) })
	harm.Go(func() error { return x.breaker(harmed, stream(1<<62+1), begun) })
	harm.Go(func() error {
		until(harmed, begun, x.cfg.Duration)
		return nil
	})
	err := harm.Wait()
	cancel()
	clients.Wait()
	x.report.Took = time.Since(begun)
	x.report.Sent, x.report.Accepted = x.ledger.sum()
	return err
}

// rounds is how often a server that holds documents in its spool is started again
// for them. One is enough for a server that drains in time.
const rounds = 4

// stillness is how long the database must have grown no more, before we believe
// that it will not. The longest pause between two attempts is far below it.
const stillness = 10 * time.Second

// settle waits for what is on its way, ends the server as an operator would, and
// closes the ledger. A server with a spool may leave some for its next start, so it
// gets another.
func (x *experiment) settle(ctx context.Context) error {
	client, err := mongo.Connect(options.Client().ApplyURI(databaseReady + x.database.addr + "/"))
	if err != nil {
		return fmt.Errorf("torture: %w", err)
	}
	defer client.Disconnect(context.WithoutCancel(ctx))
	coll := client.Database(databaseName).Collection(collection)
	entries, statuses := x.ledger.close()
	x.report.Statuses = statuses
	for round := 1; ; round++ {
		if err := x.catchUp(ctx, coll); err != nil {
			return err
		}
		if err := x.front.p.Stop(stopTimeout); err != nil {
			return fmt.Errorf("torture: the server's end: %w; it said: %s", err, x.front.p.Stderr())
		}
		x.report.Sums, err = verify(ctx, coll, x.cfg.Seed, entries)
		if err != nil || x.report.Lost == 0 || x.cfg.Level != "spool" || round == rounds {
			return err
		}
		x.say("%d documents are not there yet: the server is started again for its spool", x.report.Lost)
		if err := x.front.start(ctx); err != nil {
			return err
		}
	}
}

// catchUp returns when the database holds as many documents as were accepted, or
// grows no more. It asks for the collection's statistics: FerretDB answers a count
// by reading every document, for half a minute and more, which is time it should
// spend on storing.
func (x *experiment) catchUp(ctx context.Context, coll *mongo.Collection) error {
	held, since := int64(-1), time.Now()
	for {
		n, err := size(ctx, coll)
		if err != nil {
			return err
		}
		if n != held {
			held, since = n, time.Now()
		}
		if n >= int64(x.report.Accepted) || time.Since(since) > stillness {
			return nil
		}
		if !until(ctx, time.Now(), time.Second) {
			return ctx.Err()
		}
	}
}

// size is the number of documents by the collection's statistics.
func size(ctx context.Context, coll *mongo.Collection) (int64, error) {
	stats, err := coll.Database().RunCommand(ctx, bson.D{{Key: "collStats", Value: coll.Name()}}).Raw()
	if err != nil {
		return 0, fmt.Errorf("torture: size of the collection: %w", err)
	}
	n, ok := stats.Lookup("count").AsInt64OK()
	if !ok {
		return 0, fmt.Errorf("torture: size of the collection: collStats answered %v", stats)
	}
	return n, nil
}

func (x *experiment) say(format string, args ...any) {
	x.log.Lock()
	defer x.log.Unlock()
	fmt.Fprintf(x.cfg.Log, format+"\n", args...)
}
