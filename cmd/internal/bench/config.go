package bench

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Config says what is measured, and how often. The zero value of a field means its default.
type Config struct {
	// Binary is the rapidrest command, of which the database and the subjects are run.
	Binary string `json:"-"`

	// MongoURI is the database; empty means the embedded one, as a process of its own.
	MongoURI string `json:"mongo_uri,omitempty"`

	// Subjects are what is measured; the first is what others are compared to. Default: the
	// baseline, the framework, and the baseline once more as the control: a process like the
	// first in everything, so that what is found between these two is noise.
	Subjects []Subject `json:"subjects"`

	Scenarios   []string `json:"scenarios,omitempty"` // names, none for all
	Requests    int64    `json:"requests"`            // in a run; default 30,000
	Runs        int      `json:"runs"`                // of each subject in each scenario; default 10
	Warmup      int64    `json:"warmup"`              // requests sent to each subject before its runs; default 2,000
	Connections int      `json:"connections"`         // default 16
	Pipeline    int      `json:"pipeline"`            // default 8
	BatchSize   int      `json:"batch_size"`          // documents in a batch; default 10, as in 2012

	// Budget is how long all runs may take together; default 4 minutes. Where 30,000 requests
	// would take longer, runs of slow scenarios send fewer, the same number for all subjects.
	Budget time.Duration `json:"budget_ns"`

	// Progress, when set, is told what happens next, and how much time is left.
	Progress func(step string, left time.Duration) `json:"-"`
}

// A Subject is a server that is measured: a command of the binary which prints "listening on
// URL" and has the scenario routes.
type Subject struct {
	Name string   `json:"name"` // in the report
	Args []string `json:"args"` // the command and flags of its own

	// Program is run instead of the binary, for peers that are not part of it.
	Program string `json:"program,omitempty"`

	// NoDatabase says that it has only the routes which need none; other scenarios leave it out.
	NoDatabase bool `json:"no_database,omitempty"`
}

// Ours are the subjects that are part of the binary.
func Ours() []Subject {
	return []Subject{
		{Name: "baseline", Args: []string{"baseline"}},
		{Name: "framework", Args: []string{"framework"}},
		{Name: Control, Args: []string{"baseline"}},
	}
}

// Control is the name of the subject that is the first one's twin.
const Control = "control"

// withDefaults replaces what is zero, and reports every fault at once.
func (c Config) withDefaults() (Config, error) {
	if len(c.Subjects) == 0 {
		c.Subjects = Ours()
	}
	setDefault(&c.Requests, 30_000)
	setDefault(&c.Runs, 10)
	setDefault(&c.Warmup, 2_000)
	setDefault(&c.Connections, 16)
	setDefault(&c.Pipeline, 8)
	setDefault(&c.BatchSize, 10)
	setDefault(&c.Budget, 4*time.Minute)
	if c.Progress == nil {
		c.Progress = func(string, time.Duration) {}
	}
	var faults []error
	for name, n := range map[string]int64{
		"requests": c.Requests, "runs": int64(c.Runs), "warm-up": c.Warmup,
		"connections": int64(c.Connections), "pipeline": int64(c.Pipeline), "batch size": int64(c.BatchSize), "budget": int64(c.Budget),
	} {
		if n < 1 {
			faults = append(faults, fmt.Errorf("bench: %s must be above 0, not %d", name, n))
		}
	}
	if c.Binary == "" {
		faults = append(faults, errors.New("bench: no binary to run"))
	}
	_, err := chosen(c.Scenarios)
	return c, errors.Join(append(faults, err)...)
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// A Machine is where a report was made.
type Machine struct {
	CPU      string            `json:"cpu,omitempty"`
	CPUs     int               `json:"cpus"`
	OS       string            `json:"os"`
	Go       string            `json:"go"`
	Versions map[string]string `json:"versions"` // of the modules that matter
}

// thisMachine describes where we run.
func thisMachine() Machine {
	m := Machine{
		CPU: cpuModel(), CPUs: runtime.NumCPU(),
		OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Versions: map[string]string{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, dep := range info.Deps {
		for _, name := range []string{"valyala/fasthttp", "mongo-driver/v2", "json-iterator/go", "FerretDB/FerretDB"} {
			if strings.HasSuffix(dep.Path, name) {
				m.Versions[dep.Path] = dep.Version
			}
		}
	}
	return m
}
