package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// Where nothing is installed every peer is named with the command that brings it; a peer whose
// program is there is run with its name.
func TestLineupNamesWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	peers, missing := Lineup(dir)
	if len(peers) != 0 || len(missing) != 12 {
		t.Fatalf("%d peers and %d missing, want 0 and 12", len(peers), len(missing))
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
	if len(peers) != 6 || len(missing) != 6 || peers[2].Program != program || peers[2].Args[0] != "gin" {
		t.Errorf("%+v and %+v", peers, missing)
	}
}
