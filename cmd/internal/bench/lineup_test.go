package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where nothing is installed every peer is named with the command that brings it; a peer whose
// program is there is run with its name.
func TestLineupNamesWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	peers, missing := Lineup(dir)
	if len(peers) != 0 || len(missing) != 15 {
		t.Fatalf("%d peers and %d missing, want 0 and 15", len(peers), len(missing))
	}
	for _, m := range missing {
		if m.Install == "" {
			t.Errorf("%s: nothing says how to install it", m.Name)
		}
	}
	program := filepath.Join(dir, "bin", "peers")
	if err := os.MkdirAll(filepath.Dir(program), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	peers, missing = Lineup(dir)
	if len(peers) != 6 || len(missing) != 9 || peers[2].Program != program || peers[2].Args[0] != "gin" {
		t.Errorf("%+v and %+v", peers, missing)
	}
}

// A peer that has no database is left out where there must be one, and the table says so.
func TestLineupPeerWithoutDatabase(t *testing.T) {
	b := &bench{lab: &lab{subjects: []*subject{{name: "baseline"}, {name: "jetty", noDatabase: true}, {name: "gin"}}}}
	for i := range scenarios {
		s := &scenarios[i]
		var names []string
		for _, sub := range b.order(s, 1) {
			names = append(names, sub.name)
		}
		want := "gin jetty baseline"
		if s.Stores || s.Seeded {
			want = "gin baseline"
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", s.Name, got, want)
		}
	}

	r := sample(3)
	r.Config.Subjects[1].NoDatabase = true
	r.Runs = slices.DeleteFunc(r.Runs, func(run Run) bool { return run.Scenario == "single" && run.Subject == "<b>&" })
	r.summarize()
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if want := "<b>& has the scenarios without a database only."; len(r.Summaries) != 5 || !strings.Contains(table.String(), want) {
		t.Errorf("%d summaries; %q is missing in\n%s", len(r.Summaries), want, table.String())
	}
	for _, s := range r.series("single", rate) {
		if s.name == "<b>&" {
			t.Error("a line without a run")
		}
	}
}
