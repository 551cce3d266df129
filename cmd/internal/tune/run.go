package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
	"github.com/rapidrest/rapidrest/store"
)

// Run sweeps, and returns a report of the sweeps that were completed, also beside an error.
func Run(ctx context.Context, c Config) (*Report, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	docs, err := surveys()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, store.Config{URI: c.URI, Database: "rapidrest_tune_" + bson.NewObjectID().Hex()})
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	defer func() {
		s.Database().Drop(context.WithoutCancel(ctx))
		s.Close(context.WithoutCancel(ctx))
	}()
	t := &tuner{Config: c, store: s, docs: docs, report: &Report{}}
	t.left = time.Duration(c.Runs*(len(c.Sizes)+len(c.Inflight)+len(c.Linger))) * c.RunTime
	return t.report, t.all(ctx)
}

type tuner struct {
	Config
	store  *store.Store
	docs   [][]byte
	report *Report
	left   time.Duration
}

// all makes the three sweeps, each with what the ones before have found.
func (t *tuner) all(ctx context.Context) error {
	at := Setting{Size: 1, Inflight: 2, Linger: 5 * time.Millisecond}
	var sizes, inflight, linger []Setting
	for _, n := range t.Sizes {
		sizes = append(sizes, Setting{n, at.Inflight, at.Linger})
	}
	found, err := t.sweep(ctx, "size", sizes)
	if err != nil {
		return err
	}
	for _, n := range t.Inflight {
		inflight = append(inflight, Setting{found.Size, n, at.Linger})
	}
	if found, err = t.sweep(ctx, "inflight", inflight); err != nil {
		return err
	}
	for _, d := range t.Linger {
		linger = append(linger, Setting{found.Size, found.Inflight, d})
	}
	if found, err = t.sweep(ctx, "linger", linger); err != nil {
		return err
	}
	t.report.Recommended = &found
	return nil
}

// sweep tries the settings in turn and returns the one to recommend.
func (t *tuner) sweep(ctx context.Context, name string, settings []Setting) (Setting, error) {
	counts, err := t.counts(ctx, name, settings)
	if err != nil {
		return Setting{}, err
	}
	rates := make([][]float64, len(settings))
	for round := range t.Runs {
		for _, i := range rand.Perm(len(settings)) {
			t.Progress(fmt.Sprintf("%s: round %d of %d", name, round+1, t.Runs), t.left)
			rate, err := trial(ctx, t.store, t.docs, settings[i], counts[i])
			if err != nil {
				return Setting{}, err
			}
			rates[i] = append(rates[i], rate)
			t.left -= t.RunTime
		}
	}
	s := Sweep{Name: name}
	for i, at := range settings {
		s.Points = append(s.Points, Point{Setting: at, Rate: stats.Of(rates[i]), Rates: rates[i], Documents: counts[i]})
	}
	s.Best, s.Chosen = choose(s.Points)
	t.report.Sweeps = append(t.report.Sweeps, s)
	return s.Points[s.Chosen].Setting, nil
}

// most documents of a run; they are all in memory.
const most = 100_000

// counts runs each setting for a moment, throws the figures away, and says how many documents
// take about RunTime. Every run of a setting then has that many.
func (t *tuner) counts(ctx context.Context, name string, settings []Setting) ([]int, error) {
	counts := make([]int, len(settings))
	for i, at := range settings {
		t.Progress(name+": warming up", t.left)
		rate, err := trial(ctx, t.store, t.docs, at, max(200, 4*at.Size*at.Inflight))
		if err != nil {
			return nil, err
		}
		// At least a few whole batches, or the last, half empty one would weigh too much.
		counts[i] = min(most, max(int(rate*t.RunTime.Seconds()), 8*at.Size))
	}
	return counts, nil
}
