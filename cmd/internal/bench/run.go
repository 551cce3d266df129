package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rapidrest/rapidrest/client"
)

// A Run is what one run of one subject in one scenario showed.
type Run struct {
	Scenario string `json:"scenario"`
	Subject  string `json:"subject"`
	Round    int    `json:"round"` // from 0; runs of the same round are compared

	Requests  int64   `json:"requests"`
	Seconds   float64 `json:"seconds"` // until the last answer or, with a database, until all is stored
	Rate      float64 `json:"rps"`     // Requests by Seconds
	Documents int64   `json:"documents,omitempty"`

	ServerCPU   float64 `json:"server_cpu_us"` // microseconds a request
	ClientCPU   float64 `json:"client_cpu_us"`
	DatabaseCPU float64 `json:"database_cpu_us,omitempty"`
	RSS         int64   `json:"rss"`      // bytes that the subject holds after the run
	PeakRSS     int64   `json:"peak_rss"` // bytes, since the subject started

	Client *client.Result `json:"client"`
}

// Measure runs everything, and returns a report of all runs that were completed, also beside an error.
func Measure(ctx context.Context, c Config) (_ *Report, err error) {
	c, err = c.withDefaults()
	if err != nil {
		return nil, err
	}
	list, _ := chosen(c.Scenarios)
	report := &Report{Started: time.Now().UTC(), Machine: thisMachine(), Config: c, Scenarios: list}
	c.Progress("starting the database and the subjects", 0)
	l, err := openLab(ctx, &c)
	if err != nil {
		return nil, err
	}
	b := &bench{Config: c, lab: l, report: report}
	err = b.all(ctx)
	report.Complete = err == nil
	report.summarize()
	c.Progress("ending the subjects and the database", 0)
	if closeErr := l.close(); err == nil {
		err = closeErr
	}
	report.Seconds = time.Since(report.Started).Seconds()
	return report, err
}

// A bench is one Measure under way.
type bench struct {
	Config
	lab    *lab
	report *Report
	plan   *plan
}

func (b *bench) all(ctx context.Context) error {
	if err := b.ceilings(ctx); err != nil {
		return err
	}
	if err := b.warmUp(ctx); err != nil {
		return err
	}
	for i := range b.report.Scenarios {
		s := &b.report.Scenarios[i]
		for round := range b.Runs {
			for _, sub := range b.order(round) {
				b.Progress(fmt.Sprintf("%s: run %d of %d, %s", s.Name, round+1, b.Runs, sub.name), b.plan.left())
				run, err := b.run(ctx, s, sub, round, s.Requests)
				if err != nil {
					return err
				}
				b.report.Runs = append(b.report.Runs, *run)
				b.plan.todo[s.Name]--
			}
		}
	}
	return nil
}

// warmUp runs every scenario on every subject once, throws the figures away, and plans the
// runs by how fast that went.
func (b *bench) warmUp(ctx context.Context) error {
	slowest := map[string]float64{}
	for i := range b.report.Scenarios {
		s := &b.report.Scenarios[i]
		for _, sub := range b.lab.subjects {
			b.Progress(fmt.Sprintf("%s: warming up %s", s.Name, sub.name), 0)
			run, err := b.run(ctx, s, sub, -1, b.Warmup)
			if err != nil {
				return err
			}
			if known, ok := slowest[s.Name]; !ok || run.Rate < known {
				slowest[s.Name] = run.Rate
			}
		}
	}
	b.plan = newPlan(slowest, b.Requests, b.Runs*len(b.lab.subjects), b.Budget)
	for i := range b.report.Scenarios {
		s := &b.report.Scenarios[i]
		s.Requests = b.plan.requests[s.Name]
	}
	return nil
}

// order is that of one round: every second one runs backwards.
func (b *bench) order(round int) []*subject {
	order := slices.Clone(b.lab.subjects)
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// run sends n requests to a subject and checks what came of them. A request that failed, or a
// count that is wrong, is an error: there is no figure for work that was not done.
func (b *bench) run(ctx context.Context, s *Scenario, sub *subject, round int, n int64) (*Run, error) {
	collection := fmt.Sprintf("%s_%s_%d", s.Name, sub.name, round+1)
	which := fmt.Sprintf("run %d", round+1)
	if round < 0 {
		which = "the warm-up"
	}
	fail := func(err error) (*Run, error) {
		return nil, fmt.Errorf("bench: %s of %s on %s: %w", which, s.Name, sub.name, err)
	}
	before, err := b.readClocks(sub)
	if err != nil {
		return fail(err)
	}
	start := time.Now()
	result, err := client.Run(ctx, client.Config{
		URL:      sub.url + strings.Replace(s.Path, "{collection}", collection, 1),
		Method:   s.Method,
		Requests: n, Connections: b.Connections, Pipeline: b.Pipeline,
	})
	if err != nil {
		return fail(err)
	}
	if err := result.Err(); err != nil {
		return fail(err)
	}
	run := &Run{Scenario: s.Name, Subject: sub.name, Round: round, Requests: n, Seconds: result.Seconds, Client: result}
	if s.Stores {
		if run.Documents, err = b.lab.await(ctx, collection, n); err != nil {
			return fail(err)
		}
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		run.Seconds = time.Since(start).Seconds()
		if run.Documents != n {
			return fail(fmt.Errorf("%d documents in the collection, and there should be %d", run.Documents, n))
		}
	}
	after, err := b.readClocks(sub)
	if err != nil {
		return fail(err)
	}
	run.Rate = float64(n) / run.Seconds
	perRequest := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(n) }
	run.ServerCPU = perRequest(after.server - before.server)
	run.ClientCPU = perRequest(after.client - before.client)
	run.DatabaseCPU = perRequest(after.database - before.database)
	run.RSS, run.PeakRSS = memory(sub.cmd.Process.Pid)
	if s.Stores {
		if err := b.lab.db.Collection(collection).Drop(ctx); err != nil {
			return fail(err)
		}
	}
	return run, nil
}

// ceilings measures the client against a responder that does nothing, once for each method.
func (b *bench) ceilings(ctx context.Context) error {
	b.Progress("measuring the client's ceiling", 0)
	null, url, err := launch(ctx, b.Binary, b.lab.dir, []string{"null", "--listen", "127.0.0.1:0"}, "listening on ")
	if err != nil {
		return err
	}
	defer null.kill()
	b.report.Ceilings = map[string]float64{}
	for _, s := range b.report.Scenarios {
		if b.report.Ceilings[s.Method] > 0 {
			continue
		}
		result, err := client.Run(ctx, client.Config{
			URL: url + s.Path, Method: s.Method, Warmup: b.Warmup,
			Requests: b.Requests, Connections: b.Connections, Pipeline: b.Pipeline,
		})
		if err != nil {
			return fmt.Errorf("bench: against the null responder: %w", err)
		}
		b.report.Ceilings[s.Method] = result.RPS
	}
	return nil
}

// clocks are the CPU times of the three that take part in a run.
type clocks struct{ server, client, database time.Duration }

func (b *bench) readClocks(sub *subject) (c clocks, err error) {
	if c.server, err = cpuTime(sub.cmd.Process.Pid); err != nil {
		return c, err
	}
	if c.client, err = cpuTime(os.Getpid()); err != nil {
		return c, err
	}
	if b.lab.database != nil {
		c.database, err = cpuTime(b.lab.database.cmd.Process.Pid)
	}
	return c, err
}
