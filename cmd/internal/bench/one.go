package bench

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/rapidrest/rapidrest/client"
)

// A Run is what one run of one subject in one scenario showed.
type Run struct {
	Scenario string `json:"scenario"`
	Subject  string `json:"subject"`
	Round    int    `json:"round"` // from 0; runs of the same round are compared

	Requests  int64   `json:"requests"`
	Seconds   float64 `json:"seconds"`             // until the last answer or, with a database, until all is stored
	Rate      float64 `json:"rps"`                 // Requests by Seconds
	Documents int64   `json:"documents,omitempty"` // that it stored, by the database's count

	ServerCPU   float64 `json:"server_cpu_us"` // microseconds a request
	ClientCPU   float64 `json:"client_cpu_us"`
	DatabaseCPU float64 `json:"database_cpu_us,omitempty"`
	RSS         int64   `json:"rss"`      // bytes that the subject holds after the run
	PeakRSS     int64   `json:"peak_rss"` // bytes, since the subject started

	Client *client.Result `json:"client"`
}

// warmUpRound is the round of the runs whose figures are thrown away.
const warmUpRound = -1

// run sends n requests to a subject and checks what came of them. A request that failed, or a
// count that is wrong, is an error: there is no figure for work that was not done.
func (b *bench) run(ctx context.Context, s *Scenario, sub *subject, round int, n int64) (*Run, error) {
	run := &Run{Scenario: s.Name, Subject: sub.name, Round: round, Requests: n}
	if err := b.fill(ctx, run, s, sub); err != nil {
		which := fmt.Sprintf("run %d", round+1)
		if round == warmUpRound {
			which = "the warm-up"
		}
		return nil, fmt.Errorf("bench: %s of %s on %s: %w", which, s.Name, sub.name, err)
	}
	return run, nil
}

// fill does the work of run. What is measured ends when all is stored; the count comes after.
func (b *bench) fill(ctx context.Context, run *Run, s *Scenario, sub *subject) error {
	collection := s.collection(run)
	if s.Seeded {
		if err := b.lab.seed(ctx, collection); err != nil {
			return err
		}
	}
	before, err := b.readClocks(sub)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := b.send(ctx, run, s, sub.url+s.path(run)); err != nil {
		return err
	}
	if s.Stores {
		if err := b.lab.settle(ctx, collection, s.total(run)); err != nil {
			return err
		}
		run.Seconds = time.Since(start).Seconds()
	}
	after, err := b.readClocks(sub)
	if err != nil {
		return err
	}
	run.Rate = float64(run.Requests) / run.Seconds
	run.ServerCPU = run.perRequest(after.server - before.server)
	run.ClientCPU = run.perRequest(after.client - before.client)
	run.DatabaseCPU = run.perRequest(after.database - before.database)
	run.RSS, run.PeakRSS = memory(sub.PID())
	if s.Stores {
		run.Documents = run.Requests
	}
	if s.database() {
		err = b.lab.verify(ctx, collection, s.total(run), s.ends(run))
	}
	return err
}

// send has the client send the requests of a run; every one must be answered with a 2xx.
func (b *bench) send(ctx context.Context, run *Run, s *Scenario, url string) error {
	result, err := client.Run(ctx, client.Config{
		URL: url, Method: s.Method, Requests: run.Requests,
		Connections: b.Connections, Pipeline: b.Pipeline,
	})
	if err != nil {
		return err
	}
	run.Client, run.Seconds = result, result.Seconds
	return result.Err()
}

// perRequest spreads a time over the requests of the run, in microseconds.
func (r *Run) perRequest(d time.Duration) float64 {
	return float64(d.Nanoseconds()) / 1e3 / float64(r.Requests)
}

// clocks are the CPU times of the three that take part in a run.
type clocks struct{ server, client, database time.Duration }

func (b *bench) readClocks(sub *subject) (c clocks, err error) {
	if c.server, err = cpuTime(sub.PID()); err != nil {
		return c, err
	}
	if c.client, err = cpuTime(os.Getpid()); err != nil {
		return c, err
	}
	if b.lab.database != nil {
		c.database, err = cpuTime(b.lab.database.PID())
	}
	return c, err
}
