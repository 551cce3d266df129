package bench

import (
	"os"
	"os/exec"
	"path/filepath"
)

// A Missing is a peer of the line-up that is not installed.
type Missing struct {
	Name    string
	Install string // the command that installs it, to be run in the line-up's directory
}

// A language is a kind of peers: where their programs are and what they need.
type language struct {
	program string // looked up in PATH, or under the directory if it has a slash
	script  string // the folder of the peers' files; empty where the name is an argument
	suffix  string // of a peer's file
	install string
	ready   func(program, dir, name string) bool
	peers   []string
}

func languages() []language {
	return []language{
		{
			program: "bin/peers", install: "go build -o bin/peers ./peers",
			ready: func(program, _, _ string) bool { return exists(program) },
			peers: []string{"fasthttp", "fiber", "gin", "echo", "net-http", "chi"},
		},
		{
			program: "node", script: "node", suffix: ".js", install: "apt-get install nodejs npm && npm ci --prefix node",
			ready: func(_, dir, name string) bool { return exists(filepath.Join(dir, "node", "node_modules", name)) },
			peers: []string{"express", "restify", "fastify"},
		},
		{
			program: "ruby", script: "ruby", suffix: ".rb", install: "apt-get install ruby ruby-mongo ruby-webrick puma thin",
			ready: func(program, _, name string) bool {
				return exec.Command(program, "-e", "require 'mongo'; require '"+name+"'").Run() == nil
			},
			peers: []string{"puma", "thin", "webrick"},
		},
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Lineup returns the peers under dir that can run here, and those that can't.
func Lineup(dir string) (peers []Subject, missing []Missing) {
	for _, l := range languages() {
		program, err := exec.LookPath(l.program)
		if filepath.Base(l.program) != l.program {
			program, err = filepath.Join(dir, l.program), nil
		}
		for _, name := range l.peers {
			if err != nil || !l.ready(program, dir, name) {
				missing = append(missing, Missing{name, l.install})
				continue
			}
			args := []string{name}
			if l.script != "" {
				args = []string{filepath.Join(dir, l.script, name+l.suffix)}
			}
			peers = append(peers, Subject{Name: name, Program: program, Args: args})
		}
	}
	return peers, missing
}
