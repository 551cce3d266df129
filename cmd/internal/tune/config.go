package tune

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rapidrest/rapidrest/batch"
)

// Config says what is tried. The zero value of a field means its default; only URI is needed.
type Config struct {
	URI      string          // of the database
	Sizes    []int           // of batches; default 1, 2, 5, 10, … 1,000
	Inflight []int           // batches under way at a time; default 1, 2, 4, 8
	Linger   []time.Duration // default 0, 1, 5 and 20 ms
	Runs     int             // of each setting; default 8
	RunTime  time.Duration   // that a run should take; default 700 ms

	// Progress, when set, is told what happens next, and about how much time is left.
	Progress func(step string, left time.Duration)
}

func (c Config) withDefaults() (Config, error) {
	if len(c.Sizes) == 0 {
		c.Sizes = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	}
	if len(c.Inflight) == 0 {
		c.Inflight = []int{1, 2, 4, 8}
	}
	if len(c.Linger) == 0 {
		c.Linger = []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond}
	}
	if c.Runs == 0 {
		c.Runs = 8
	}
	if c.RunTime == 0 {
		c.RunTime = 700 * time.Millisecond
	}
	if c.Progress == nil {
		c.Progress = func(string, time.Duration) {}
	}
	c.Sizes = ascending(c.Sizes)
	c.Inflight = ascending(c.Inflight)
	c.Linger = ascending(c.Linger)
	return c, c.check()
}

func (c *Config) check() error {
	var faults []error
	for name, bad := range map[string]bool{
		"a database is needed":                          c.URI == "",
		"runs must be above 0":                          c.Runs < 1,
		"a run must take time":                          c.RunTime < 0,
		"in-flight is 1 at least":                       c.Inflight[0] < 1,
		"linger is 0 at least":                          c.Linger[0] < 0,
		fmt.Sprintf("sizes are 1 to %d", batch.MaxSize): c.Sizes[0] < 1 || c.Sizes[len(c.Sizes)-1] > batch.MaxSize,
	} {
		if bad {
			faults = append(faults, fmt.Errorf("tune: %s", name))
		}
	}
	return errors.Join(faults...)
}

// ascending returns the values in order, each once.
func ascending[T int | time.Duration](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
