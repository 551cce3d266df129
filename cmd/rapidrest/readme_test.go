package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The program in the README is one that the tests compile.
func TestReadmeProgramIsTheExample(t *testing.T) {
	_, rest, ok := strings.Cut(readFile(t, "../../README.md"), "```go\n")
	if !ok {
		t.Fatal("the README has no Go program")
	}
	program, _, _ := strings.Cut(rest, "```")
	_, body, _ := strings.Cut(readFile(t, "../../examples/embed/main.go"), "package main\n")
	if program != "package main\n"+body {
		t.Error("the program in the README is not that of examples/embed")
	}
}

// The README promises no flag or command that isn't there.
func TestReadmeFlagsAndCommandsExist(t *testing.T) {
	readme := readFile(t, "../../README.md")
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	var walk func(*kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			known["--"+f.Name] = true
		}
		for _, c := range n.Children {
			known[c.Path()] = true
			walk(c)
		}
	}
	walk(parser.Model.Node)
	// curl's own flag is no promise of ours.
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(readme, -1) {
		if !known[flag] && flag != "--data-binary" {
			t.Errorf("the README names %s, which no command has", flag)
		}
	}
	for _, m := range regexp.MustCompile("(?:cmd/rapidrest|`rapidrest) ([a-z]+)").FindAllStringSubmatch(readme, -1) {
		found := false
		for path := range known {
			found = found || strings.HasSuffix(path, " "+m[1]) || path == m[1]
		}
		if !found {
			t.Errorf("the README names the command %q, which isn't there", m[1])
		}
	}
}
