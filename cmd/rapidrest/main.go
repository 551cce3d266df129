package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// commands is the command line: one field a command, each in a file of its own.
type commands struct {
	Serve      serveCommand      `cmd:"" help:"Serve collections over HTTP: POST JSON in, GET it back."`
	Spool      spoolCommand      `cmd:"" help:"Look into the log that serve keeps on disk, or deliver it."`
	Deadletter deadletterCommand `cmd:"" help:"Send documents that ended badly once more."`
	Mongo      mongoCommand      `cmd:"" help:"Run the embedded MongoDB-compatible database as a process of its own."`
	Baseline   baselineCommand   `cmd:"" help:"Serve the scenario routes by hand, on fasthttp and the driver alone."`
	Framework  frameworkCommand  `cmd:"" help:"Serve the same scenario routes on the framework."`
	Client     clientCommand     `cmd:"" help:"Send requests to a server and count what comes back."`
	Bench      benchCommand      `cmd:"" help:"Measure what the framework costs above the bare baseline."`
	Tune       tuneCommand       `cmd:"" help:"Find the batch size that suits a database."`
	Null       nullCommand       `cmd:"" hidden:"" help:"Answer every request without looking at it."`
	Torture    tortureCommand    `cmd:"" help:"Kill a server and break its database under load, and count what is missing."`

	Version kong.VersionFlag `help:"Print the version and exit." env:"-"`
}

// Exit codes; doc.go says when each is used.
const (
	exitFailed = 1
	exitUsage  = 2
	exitLost   = 3
)

// errLost makes the exit code 3.
var errLost = errors.New("accepted documents were lost")

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole command: it parses args, runs what they name and returns the exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	var cmds commands
	exit := -1
	parser, err := kong.New(&cmds,
		kong.Name("rapidrest"),
		kong.Description("JSON REST into MongoDB, batched, and what it costs."),
		kong.DefaultEnvars("RAPIDREST"),
		kong.Vars{"version": version()},
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Exit(func(c int) { exit = c }), // --help and --version
	)
	if err != nil {
		fmt.Fprintf(stderr, "rapidrest: %v\n", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	switch {
	case exit >= 0:
		return exit
	case err != nil:
		fmt.Fprintf(stderr, "rapidrest: %s (--help tells more)\n", oneLine(err))
		return exitUsage
	}
	p, release := newProcess(stdout, stderr)
	defer release()
	err = parsed.Run(p)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errLost):
		code = exitLost
	default:
		code = exitFailed
	}
	fmt.Fprintf(stderr, "rapidrest: %s\n", oneLine(err))
	return code
}

// oneLine is the text of an error; joined errors come one a line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// version names the module's version, or the commit that a checkout was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "rapidrest (unknown)"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "(devel)"
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v = s.Value
			}
		}
	}
	return fmt.Sprintf("rapidrest %s %s", v, info.GoVersion)
}
