package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// names are the questions that --ask knows.
var names = []string{"hits", "params", "misses", "methods", "growth", "above"}

func run(w io.Writer, args []string) error {
	flags := flag.NewFlagSet("lineup", flag.ContinueOnError)
	rounds := flags.Int("rounds", 25, "interleaved rounds; the figure is their median")
	sample := flags.Duration("sample", 2*time.Millisecond, "length of one router's sample in a round")
	ask := flags.String("ask", strings.Join(names, ","), "the questions to ask")
	only := flags.String("only", "", "the peers to measure, separated by commas (default all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	asked := strings.Split(*ask, ",")
	for _, name := range asked {
		if !slices.Contains(names, name) {
			return fmt.Errorf("lineup: no question %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	if *rounds < 1 || *sample <= 0 {
		return fmt.Errorf("lineup: rounds %d and sample %v must be above zero", *rounds, *sample)
	}
	field, err := choose(*only)
	if err != nil {
		return err
	}
	return report(w, asked, Plan{Rounds: *rounds, Sample: *sample, Subjects: field})
}

// choose returns ours and the named peers.
func choose(only string) ([]Subject, error) {
	if only == "" {
		return subjects, nil
	}
	field := subjects[:1:1]
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(subjects, func(s Subject) bool { return s.Name == name })
		if i < 1 {
			return nil, fmt.Errorf("lineup: no peer %q", name)
		}
		field = append(field, subjects[i])
	}
	return field, nil
}

func report(w io.Writer, asked []string, plan Plan) error {
	fmt.Fprintf(w, "%s %s/%s, %d rounds of %v, interleaved, %s\n%s\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, plan.Rounds, plan.Sample, clockName, versions())
	for _, q := range questions {
		if !slices.Contains(asked, q.Name) {
			continue
		}
		table := Table{Title: q.Title, Subjects: plan.Subjects}
		for _, name := range setNames {
			set, err := loadSet(name)
			if err != nil {
				return err
			}
			figures, err := q.Ask(set, plan)
			if err != nil {
				return err
			}
			table.Columns = append(table.Columns, fmt.Sprintf("%s %d", set.Name, len(set.Routes)))
			table.Figures = append(table.Figures, figures)
		}
		table.Print(w)
	}
	if slices.Contains(asked, "growth") {
		if err := reportGrowth(w, plan); err != nil {
			return err
		}
	}
	if slices.Contains(asked, "above") {
		return reportAbove(w, plan)
	}
	return nil
}

func reportGrowth(w io.Writer, plan Plan) error {
	columns, err := Grow(plan)
	if err != nil {
		return err
	}
	table := Table{
		Title:    "growth: every route hit equally often, one context, an empty handler subtracted",
		Subjects: plan.Subjects,
		Figures:  columns,
	}
	for _, n := range growthSizes {
		table.Columns = append(table.Columns, fmt.Sprintf("%d routes", n))
	}
	table.Print(w)
	table.printGrowth(w)
	return nil
}

// versions lists the peers as they were built in.
func versions() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "peers' versions unknown"
	}
	peers := []string{"uptrace/bunrouter", "go-chi/chi/v5", "labstack/echo/v5", "fasthttp/router", "gofiber/fiber/v3", "gin-gonic/gin",
		"julienschmidt/httprouter", "valyala/fasthttp"}
	var found []string
	for _, dep := range info.Deps {
		if name := strings.TrimPrefix(dep.Path, "github.com/"); slices.Contains(peers, name) {
			found = append(found, name+" "+dep.Version)
		}
	}
	return strings.Join(found, ", ")
}
