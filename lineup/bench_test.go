package main

import "testing"

// The same questions as Go benchmarks, for benchstat and for a profile of one router:
//
//	go test -bench 'Hits/github' -count 10
//
// An operation is a whole pass; ns/req is what a request costs.

func benchmark(b *testing.B, q Question) {
	for _, set := range allSets(b) {
		for _, s := range subjects {
			b.Run(set.Name+"/"+s.Name, func(b *testing.B) {
				var p Probe
				mux, err := s.Build(set, &p, q.Mode)
				if err != nil {
					b.Fatal(err)
				}
				pass, reqs := q.pass(mux, set)
				clock(b, pass, len(reqs))
			})
		}
	}
}

func clock(b *testing.B, pass Pass, requests int) {
	pass()
	b.ReportAllocs()
	for b.Loop() {
		pass()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*requests), "ns/req")
}

func BenchmarkHits(b *testing.B)    { benchmark(b, questions[0]) }
func BenchmarkParams(b *testing.B)  { benchmark(b, questions[1]) }
func BenchmarkMisses(b *testing.B)  { benchmark(b, questions[2]) }
func BenchmarkMethods(b *testing.B) { benchmark(b, questions[3]) }

// The row "empty" is to be subtracted from the others of its size.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range growthSizes {
		set := grown(n)
		reqs := set.stream(growthStream)
		for i, s := range subjects {
			var p Probe
			mux, err := s.Build(set, &p, Count)
			if err != nil {
				b.Fatal(err)
			}
			if i == 0 {
				b.Run(set.Name+"/empty", func(b *testing.B) { clock(b, mux.empty().OneContext(reqs), len(reqs)) })
			}
			b.Run(set.Name+"/"+s.Name, func(b *testing.B) { clock(b, mux.OneContext(reqs), len(reqs)) })
		}
	}
}

func BenchmarkAbove(b *testing.B) {
	for _, a := range aboves {
		muxes, err := a.muxes()
		if err != nil {
			b.Fatal(err)
		}
		for i, name := range []string{"bare", "rapidrest"} {
			b.Run(a.Name+"/"+name, func(b *testing.B) { clock(b, muxes[i].Answers(a.requests()), len(a.requests())) })
		}
	}
}
