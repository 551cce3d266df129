package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

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
	spool    string // the directory of the server's spools
	disk     *disk  // that the spools lie on; nil without one that can be filled
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
	if err := x.place(); err != nil {
		return err
	}
	x.front = frontend(&x.cfg, databaseReady+x.proxy.Addr()+"/", x.spool)
	return x.front.start(ctx)
}

// place finds a place for the spools: a disk of their own where that is to be filled.
func (x *experiment) place() (err error) {
	x.spool = filepath.Join(x.cfg.Dir, "spool")
	if x.cfg.FullDisks == 0 {
		return nil
	}
	if err := os.Mkdir(x.spool, 0o700); err != nil {
		return fmt.Errorf("torture: %w", err)
	}
	if x.disk, err = mountDisk(x.spool); err != nil {
		return err
	}
	x.spool = filepath.Join(x.disk.root, "spool")
	return nil
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
	if x.disk != nil {
		x.disk.unmount()
	}
}

// load lets the clients loose, kills and breaks, and returns once both are through
// and the time is over.
func (x *experiment) load(ctx context.Context) error {
	begun := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	pace := newPace(x.cfg.Rate)
	var clients sync.WaitGroup
	for i := range x.cfg.Connections {
		c := newClient(x.front.addr, x.ledger, pace, x.cfg.Seed, i)
		clients.Go(func() { c.run(ctx) })
	}
	stream := func(number uint64) *rand.Rand { return rand.New(rand.NewPCG(x.cfg.Seed, number)) }
	harm, harmed := errgroup.WithContext(ctx)
	harm.Go(func() error { return x.killer(harmed, stream(1<<62), begun) })
	harm.Go(func() error { return x.breaker(harmed, stream(1<<62+1), begun) })
	harm.Go(func() error { return x.filler(harmed, stream(1<<62+2), begun) })
	harm.Go(func() error {
		x.reach(harmed, begun, 1)
		return nil
	})
	err := harm.Wait()
	cancel()
	clients.Wait()
	x.report.Took = time.Since(begun)
	x.report.Sent, x.report.Accepted = x.ledger.sum()
	return err
}

func (x *experiment) say(format string, args ...any) {
	x.log.Lock()
	defer x.log.Unlock()
	fmt.Fprintf(x.cfg.Log, format+"\n", args...)
}
