package bench

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Scenario is one kind of request, sent to every subject.
type Scenario struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Method string `json:"method"`
	Path   string `json:"path"`   // {collection} stands for the collection of the run
	Stores bool   `json:"stores"` // each request leaves one document

	// Collection is where documents are, for paths that do not name one.
	Collection string `json:"collection,omitempty"`
	// Seeded scenarios find one document in their collection.
	Seeded bool `json:"seeded,omitempty"`
	// Extra scenarios are measured only when they are asked for by name.
	Extra bool `json:"extra,omitempty"`
	// Rounds is the number of runs of each subject where it is not Config.Runs. What such a
	// scenario shows is how its runs change from the first to the last.
	Rounds int `json:"rounds,omitempty"`
	// Grows says that all runs of a subject add to one collection.
	Grows bool `json:"grows,omitempty"`

	// Requests of a run: those of Config, or fewer where the budget does not allow for them.
	Requests int64 `json:"requests"`
}

// scenarios are those of the study of 2012: REST alone, one insert a request, and batches.
var scenarios = []Scenario{
	{Name: "timestamp", Title: "REST without a database, no body", Method: "GET", Path: "/timestamp"},
	{Name: "survey", Title: "REST without a database, the body parsed", Method: "POST", Path: "/surveynodb/{collection}/{user}"},
	{Name: "single", Title: "one insert a request", Method: "POST", Path: "/survey/{collection}/{user}", Stores: true},
	{Name: "batched", Title: "inserts in batches", Method: "POST", Path: "/surveybatched/{collection}/{user}", Stores: true},

	// Of a comparison of Spring, Express and Rails.
	{Name: "hello", Title: "plain text", Method: "GET", Path: "/hello", Extra: true},
	{Name: "doc-write", Title: "one insert of a small document", Method: "POST", Path: "/documents", Stores: true, Collection: "documents", Extra: true},
	{Name: "doc-read", Title: "one document read", Method: "GET", Path: "/documents", Seeded: true, Collection: "documents", Extra: true},

	// The study saw upserts slow down from 30,000 to 300,000 documents.
	{Name: "upsert", Title: "upserts into a collection that grows with each run", Method: "PUT", Path: "/survey/{collection}/{run}-{user}", Stores: true, Grows: true, Rounds: 10, Extra: true},
	// A comparison of JRuby servers saw them slow down and grow, from run to run of hello.
	{Name: "decay", Title: "plain text, run after run", Method: "GET", Path: "/hello", Rounds: 20, Extra: true},
}

// groups are names for several scenarios.
var groups = map[string][]string{
	"documents": {"doc-write", "doc-read"},
	"all":       ScenarioNames(),
}

// ScenarioNames lists what Config.Scenarios may hold, besides documents (both doc-) and all.
func ScenarioNames() []string {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.Name
	}
	return names
}

// database reports whether the scenario needs the database.
func (s *Scenario) database() bool { return s.Stores || s.Seeded }

// trend reports whether the runs are shown one by one, not as one figure.
func (s *Scenario) trend() bool { return s.Rounds > 0 }

// collection is where the documents of one run are: one of its own, the subject's or the
// scenario's. Warming up never touches what is measured later, or leaves nothing there.
func (s *Scenario) collection(run *Run) string {
	switch {
	case s.Collection != "":
		return s.Collection
	case s.Grows && run.Round >= 0:
		return s.Name + "_" + run.Subject
	}
	return fmt.Sprintf("%s_%s_%d", s.Name, run.Subject, run.Round+1)
}

// path is the target of the requests of one run; {user} is left to the client.
func (s *Scenario) path(run *Run) string {
	return strings.NewReplacer("{collection}", s.collection(run), "{run}", strconv.Itoa(run.Round+1)).Replace(s.Path)
}

// total is how many documents the collection holds after a run, if all went well.
func (s *Scenario) total(run *Run) int64 {
	switch {
	case s.Seeded:
		return 1
	case s.Grows && run.Round >= 0:
		return run.Requests * int64(run.Round+1)
	}
	return run.Requests
}

// ends reports whether a run is the last that needs its collection.
func (s *Scenario) ends(run *Run) bool {
	return !s.Grows || run.Round < 0 || run.Round == s.Rounds-1
}

// chosen returns the scenarios and groups named, in the order of the list, or all that are not
// Extra for no name.
func chosen(names []string) ([]Scenario, error) {
	var wanted []string
	for _, name := range names {
		members, ok := groups[name]
		if !ok && !slices.Contains(ScenarioNames(), name) {
			known := append(ScenarioNames(), slices.Sorted(maps.Keys(groups))...)
			return nil, fmt.Errorf("bench: no scenario %q; there are %s", name, strings.Join(known, ", "))
		}
		wanted = append(append(wanted, members...), name)
	}
	var out []Scenario
	for _, s := range scenarios {
		if len(names) == 0 && !s.Extra || slices.Contains(wanted, s.Name) {
			out = append(out, s)
		}
	}
	return out, nil
}
