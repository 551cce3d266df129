package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rapidrest/rapidrest/client"
)

// Measure runs everything, and returns a report of all runs that were completed, also beside an error.
func Measure(ctx context.Context, c Config) (_ *Report, err error) {
	c, err = c.withDefaults()
	if err != nil {
		return nil, err
	}
	list, _ := chosen(c.Scenarios)
	report := &Report{Started: time.Now().UTC(), Machine: thisMachine(), Config: c, Scenarios: list}
	c.Progress("starting the database and the subjects", 0)
	l, err := openLab(&c)
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
		for round := range b.rounds(s) {
			for _, sub := range b.order(s, round) {
				b.Progress(fmt.Sprintf("%s: run %d of %d, %s", s.Name, round+1, b.rounds(s), sub.name), b.plan.left())
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

// warmUp sees that all subjects answer alike, runs every scenario on every subject once, throws the figures away, and plans the
// runs by how fast that went.
func (b *bench) warmUp(ctx context.Context) error {
	slowest := map[string]float64{}
	for i := range b.report.Scenarios {
		s := &b.report.Scenarios[i]
		if err := b.same(ctx, s); err != nil {
			return err
		}
		for _, sub := range b.order(s, 0) {
			b.Progress(fmt.Sprintf("%s: warming up %s", s.Name, sub.name), 0)
			run, err := b.run(ctx, s, sub, warmUpRound, b.Warmup)
			if err != nil {
				return err
			}
			if known, ok := slowest[s.Name]; !ok || run.Rate < known {
				slowest[s.Name] = run.Rate
			}
		}
	}
	runs := map[string]int{}
	for _, s := range b.report.Scenarios {
		runs[s.Name] = b.rounds(&s) * len(b.order(&s, 0))
	}
	b.plan = newPlan(slowest, b.Requests, runs, b.Budget)
	for i := range b.report.Scenarios {
		s := &b.report.Scenarios[i]
		s.Requests = b.plan.requests[s.Name]
	}
	return nil
}

// rounds is how many runs each subject makes in a scenario.
func (b *bench) rounds(s *Scenario) int {
	if s.Rounds > 0 {
		return s.Rounds
	}
	return b.Runs
}

// order is the subjects that have the scenario, in the order of one round: every second one runs backwards.
func (b *bench) order(s *Scenario, round int) []*subject {
	order := slices.DeleteFunc(slices.Clone(b.lab.subjects), func(sub *subject) bool { return sub.noDatabase && s.database() })
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// ceilings measures the client against a responder that does nothing, once for each method.
func (b *bench) ceilings(ctx context.Context) error {
	b.Progress("measuring the client's ceiling", 0)
	null, err := b.lab.start(&b.Config, listening, "null")
	if err != nil {
		return err
	}
	defer null.Kill()
	b.report.Ceilings = map[string]float64{}
	for _, s := range b.report.Scenarios {
		if b.report.Ceilings[s.Method] > 0 {
			continue
		}
		result, err := client.Run(ctx, client.Config{
			URL: urlOf(null) + s.Path, Method: s.Method, Warmup: b.Warmup,
			Requests: b.Requests, Connections: b.Connections, Pipeline: b.Pipeline,
		})
		if err != nil {
			return fmt.Errorf("bench: against the null responder: %w", err)
		}
		b.report.Ceilings[s.Method] = result.RPS
	}
	return nil
}
