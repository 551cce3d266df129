package main

import (
	"slices"
	"strings"
	"testing"
)

func allSets(t testing.TB) []Set {
	t.Helper()
	var sets []Set
	for _, name := range setNames {
		set, err := loadSet(name)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return sets
}

func TestSetsAreWhole(t *testing.T) {
	want := map[string]int{"github": 203, "static": 157, "parse": 26, "gplus": 13}
	for _, set := range allSets(t) {
		if len(set.Routes) != want[set.Name] || len(set.Hits) != len(set.Routes) {
			t.Errorf("%s: %d routes and %d hits, want %d of each", set.Name, len(set.Routes), len(set.Hits), want[set.Name])
		}
		routes := map[Route]bool{}
		for _, req := range set.Hits {
			routes[Route{req.Method, req.Route}] = true
		}
		if len(routes) != len(set.Routes) {
			t.Errorf("%s: the hits reach %d routes of %d", set.Name, len(routes), len(set.Routes))
		}
	}
}

func TestEveryRouterHitsTheRightRoute(t *testing.T) {
	sets := append(allSets(t), grown(20), grown(200), grown(2000))
	for _, s := range subjects {
		for _, set := range sets {
			t.Run(s.Name+"/"+set.Name, func(t *testing.T) {
				wrong, err := verify(s, set, set.Hits)
				if err != nil || len(wrong) > 0 {
					t.Errorf("%v\n%s", err, strings.Join(wrong, "\n"))
				}
			})
		}
	}
}

// Of the peers some answer a miss otherwise: echo's last parameter takes slashes, bunrouter says
// 404 to some requests whose path fits. The tables mark them. Ours is held to every request.
func TestOursAnswersMissesAndMethods(t *testing.T) {
	for _, set := range allSets(t) {
		wrong, err := verify(subjects[0], set, slices.Concat(set.Misses, set.Wrong))
		if err != nil || len(wrong) > 0 {
			t.Errorf("%s: %v\n%s", set.Name, err, strings.Join(wrong, "\n"))
		}
	}
}

// A line-up that could not see a wrong answer would be worth nothing.
func TestVerifySeesAWrongAnswer(t *testing.T) {
	set := grown(4)
	serveMux := subjects[len(subjects)-1]
	for _, req := range []Request{
		{Method: "GET", Path: "/api/account-0/id0", Status: 200, Route: "/api/account-0/:id", Params: map[string]string{"id": "another"}},
		{Method: "GET", Path: "/api/account-0/id0", Status: 200, Route: "/api/account-0", Params: map[string]string{"id": "id0"}},
		{Method: "GET", Path: "/api/account-0", Status: 404},
		{Method: "GET", Path: "/nowhere", Status: 405},
	} {
		wrong, err := verify(serveMux, set, []Request{req})
		if err != nil || len(wrong) != 1 {
			t.Errorf("%+v: %v, %q; want one difference", req, err, wrong)
		}
	}
}

// What is timed does what it says: a pass reaches each route once, reads as many bytes as the
// requests hold, and leaves no state behind for the next pass.
func TestPassesCountAndRead(t *testing.T) {
	for _, s := range subjects {
		for _, set := range allSets(t) {
			t.Run(s.Name+"/"+set.Name, func(t *testing.T) {
				var p Probe
				mux, err := s.Build(set, &p, Read)
				if err != nil {
					t.Fatal(err)
				}
				var want uint64
				for _, req := range set.Hits {
					for _, v := range req.Params {
						want += uint64(len(v)) + uint64(v[0])
					}
				}
				for _, pass := range []Pass{mux.Hits(set.Hits), mux.Hits(set.Hits), mux.OneContext(set.Hits)} {
					p = Probe{}
					pass()
					pass()
					if p.Hits != uint64(2*len(set.Hits)) || p.Bytes != 2*want {
						t.Errorf("two passes: %d hits, %d bytes; want %d, %d", p.Hits, p.Bytes, 2*len(set.Hits), 2*want)
					}
				}
			})
		}
	}
}

func TestStreamHitsEveryRouteEquallyOften(t *testing.T) {
	for _, n := range growthSizes {
		set := grown(n)
		hits := map[string]int{}
		for _, req := range set.stream(growthStream) {
			hits[req.Method+" "+req.Path]++
		}
		for path, got := range hits {
			if got != growthStream/n {
				t.Fatalf("%d routes: %s is hit %d times, want %d", n, path, got, growthStream/n)
			}
		}
		if len(hits) != n {
			t.Errorf("%d routes: %d of them are hit", n, len(hits))
		}
	}
}
