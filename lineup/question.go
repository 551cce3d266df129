package main

import (
	"fmt"
	"time"
)

// Question is one table of the line-up over the route sets.
type Question struct {
	Name  string
	Title string
	Mode  Mode
	pass  func(Mux, Set) (Pass, []Request)
}

var questions = []Question{
	{"hits", "hits: every request finds its route, the handler is a counter", Count,
		func(m Mux, s Set) (Pass, []Request) { return m.Hits(s.Hits), s.Hits }},
	{"params", "params: hits, and the handler reads every parameter", Read,
		func(m Mux, s Set) (Pass, []Request) { return m.Hits(s.Hits), s.Hits }},
	{"misses", "misses: no path fits, 404", Count,
		func(m Mux, s Set) (Pass, []Request) { return m.Answers(s.Misses), s.Misses }},
	{"methods", "methods: the path fits, the method does not, 405", Count,
		func(m Mux, s Set) (Pass, []Request) { return m.Answers(s.Wrong), s.Wrong }},
}

// Plan says how long to measure and whom.
type Plan struct {
	Rounds   int
	Sample   time.Duration
	Subjects []Subject
}

// Ask measures all subjects on one set.
func (q Question) Ask(set Set, plan Plan) ([]Figure, error) {
	var runners []*runner
	marks := make([]string, len(plan.Subjects))
	for i, s := range plan.Subjects {
		var p Probe
		mux, err := s.Build(set, &p, q.Mode)
		if err != nil {
			return nil, fmt.Errorf("lineup: %s: %w", s.Name, err)
		}
		pass, reqs := q.pass(mux, set)
		if marks[i], err = mark(s, set, reqs); err != nil {
			return nil, err
		}
		runners = append(runners, newRunner(pass, len(reqs), plan.Sample))
	}
	race(runners, plan.Rounds)
	figures := make([]Figure, len(runners))
	for i, r := range runners {
		figures[i] = r.figure()
		figures[i].Mark = marks[i]
	}
	return figures, nil
}

// mark verifies the subject on what it is going to be timed on. A wrong route is an error, an
// answer of another status a mark.
func mark(s Subject, set Set, reqs []Request) (string, error) {
	wrong, err := verify(s, set, reqs)
	if err != nil || len(wrong) == 0 {
		return "", err
	}
	if reqs[0].Status == 200 {
		return "", fmt.Errorf("lineup: %s on %s: %s", s.Name, set.Name, wrong[0])
	}
	return fmt.Sprintf("%s answers %d of %d otherwise on %s, such as %s", s.Name, len(wrong), len(reqs), set.Name, wrong[0]), nil
}

// growthSizes are the tables of the question how the cost grows with the number of routes.
var growthSizes = []int{20, 200, 2000}

// growthStream is how many requests a measurement of growth is made of, whatever the table's size.
const growthStream = 2000

// Grow measures every subject on growing tables, all of them in the same rounds: what is asked is how
// the sizes compare. From each figure the cost of a pass over an empty handler is taken.
func Grow(plan Plan) ([][]Figure, error) {
	var all []*runner
	routers, floors := make([][]*runner, len(growthSizes)), make([][]*runner, len(growthSizes))
	for i, n := range growthSizes {
		set := grown(n)
		reqs := set.stream(growthStream)
		for _, s := range plan.Subjects {
			if _, err := mark(s, set, set.Hits); err != nil {
				return nil, err
			}
			var p Probe
			mux, err := s.Build(set, &p, Count)
			if err != nil {
				return nil, fmt.Errorf("lineup: %s: %w", s.Name, err)
			}
			routers[i] = append(routers[i], newRunner(mux.OneContext(reqs), len(reqs), plan.Sample))
			floors[i] = append(floors[i], newRunner(mux.empty().OneContext(reqs), len(reqs), plan.Sample))
		}
		all = append(append(all, routers[i]...), floors[i]...)
	}
	race(all, plan.Rounds)
	columns := make([][]Figure, len(growthSizes))
	for i := range columns {
		for j, r := range routers[i] {
			f := r.figure()
			f.Nanos -= floors[i][j].figure().Nanos
			columns[i] = append(columns[i], f)
		}
	}
	return columns, nil
}
