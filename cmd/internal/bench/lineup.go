package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Missing is a peer of the line-up that is not installed.
type Missing struct {
	Name    string
	Install string // the command that installs it, to be run in the line-up's directory
}

// A language is a kind of peers: what runs them and what they need.
type language struct {
	program string // looked up in PATH, or under the directory if it has a slash
	args    func(dir, name string) []string
	install string
	ready   func(program, dir, name string) bool
	peers   []string

	noDatabase bool
}

func languages() []language {
	return []language{
		{
			program: "bin/peers", install: "go build -o bin/peers ./peers",
			args:  func(_, name string) []string { return []string{name} },
			ready: func(program, _, _ string) bool { return exists(program) },
			peers: []string{"fasthttp", "fiber", "gin", "echo", "net-http", "chi"},
		},
		{
			program: "node", install: "apt-get install nodejs npm && npm ci --prefix node",
			args:  func(dir, name string) []string { return []string{filepath.Join(dir, "node", name+".js")} },
			ready: func(_, dir, name string) bool { return exists(filepath.Join(dir, "node", "node_modules", name)) },
			peers: []string{"express", "restify", "fastify"},
		},
		{
			program: "ruby", install: "apt-get install ruby ruby-mongo ruby-rails ruby-webrick puma thin",
			args: rubyArgs, ready: rubyReady,
			peers: []string{"rails-puma", "rails-thin", "puma", "thin", "webrick"},
		},
		{
			program: "java", install: "apt-get install default-jdk-headless libjackson2-databind-java libjetty9-java libmongodb-java && jetty/build",
			args:  func(dir, _ string) []string { return []string{"-jar", filepath.Join(dir, "bin", "jetty.jar")} },
			ready: func(_, dir, _ string) bool { return exists(filepath.Join(dir, "bin", "jetty.jar")) },
			peers: []string{"jetty"}, noDatabase: true, // Debian's driver for Java is too old
		},
	}
}

// A Ruby peer is a server, alone with a Rack app or with rails- before its name.
func rubyArgs(dir, name string) []string {
	server, rails := strings.CutPrefix(name, "rails-")
	args := []string{filepath.Join(dir, "ruby", server+".rb")}
	if rails {
		args = append(args, "--app", "rails")
	}
	return args
}

// rubyReady asks Ruby, which alone knows where its libraries are.
func rubyReady(program, _, name string) bool {
	server, rails := strings.CutPrefix(name, "rails-")
	needed := "require 'mongo'; require '" + server + "'"
	if rails {
		needed += "; require 'rails'; require 'action_controller/railtie'"
	}
	return exec.Command(program, "-e", needed).Run() == nil
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
			peers = append(peers, Subject{Name: name, Program: program, Args: l.args(dir, name), NoDatabase: l.noDatabase})
		}
	}
	return peers, missing
}
