package bench

import (
	"fmt"
	"slices"
	"strings"
)

// A Scenario is one kind of request, sent to every subject.
type Scenario struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Method string `json:"method"`
	Path   string `json:"path"`   // {collection} stands for the collection of the run
	Stores bool   `json:"stores"` // each request leaves one document

	// Collection is where it is left, for paths that do not name one.
	Collection string `json:"collection,omitempty"`
	// Extra scenarios are measured only when they are asked for by name.
	Extra bool `json:"extra,omitempty"`

	// Requests of a run: those of Config, or fewer where the budget does not allow for them.
	Requests int64 `json:"requests"`
}

// scenarios are those of the study of 2012: REST alone, one insert a request, and batches.
var scenarios = []Scenario{
	{Name: "timestamp", Title: "REST without a database, no body", Method: "GET", Path: "/timestamp"},
	{Name: "survey", Title: "REST without a database, the body parsed", Method: "POST", Path: "/surveynodb/{collection}/{user}"},
	{Name: "single", Title: "one insert a request", Method: "POST", Path: "/survey/{collection}/{user}", Stores: true},
	{Name: "batched", Title: "inserts in batches", Method: "POST", Path: "/surveybatched/{collection}/{user}", Stores: true},

	// Two of a comparison of Spring, Express and Rails.
	{Name: "hello", Title: "plain text", Method: "GET", Path: "/hello", Extra: true},
	{Name: "documents", Title: "one insert of a small document", Method: "POST", Path: "/documents", Stores: true, Collection: "documents", Extra: true},
}

// ScenarioNames lists what Config.Scenarios may hold.
func ScenarioNames() []string {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.Name
	}
	return names
}

// collection is where the documents of one run go: one of its own, or the scenario's.
func (s *Scenario) collection(run *Run) string {
	if s.Collection != "" {
		return s.Collection
	}
	return fmt.Sprintf("%s_%s_%d", s.Name, run.Subject, run.Round+1)
}

// chosen returns the scenarios named, in the order of the list, or all that are not
// Extra for no name.
func chosen(names []string) ([]Scenario, error) {
	for _, name := range names {
		if !slices.Contains(ScenarioNames(), name) {
			return nil, fmt.Errorf("bench: no scenario %q; there are %s", name, strings.Join(ScenarioNames(), ", "))
		}
	}
	var out []Scenario
	for _, s := range scenarios {
		if len(names) == 0 && !s.Extra || slices.Contains(names, s.Name) {
			out = append(out, s)
		}
	}
	return out, nil
}
