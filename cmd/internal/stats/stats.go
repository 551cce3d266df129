package stats

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence of all intervals; Alpha is what p-values are held against.
const (
	Confidence = 0.95
	Alpha      = 0.05
)

// An Estimate is a median and the interval that holds the true one with 95 % confidence. With
// fewer than 6 values there is no such interval: Lo and Hi are then the lowest and the highest
// value, and Sure is false.
type Estimate struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Sure   bool    `json:"sure"`
}

// Of estimates the median; 0 of no values. It assumes nothing about how values are distributed:
// the interval is one of order statistics.
func Of(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	sorted := slices.Sorted(slices.Values(values))
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(sorted, &benchmath.DefaultThresholds), Confidence)
	e := Estimate{Median: s.Center, Lo: s.Lo, Hi: s.Hi, Sure: true}
	if math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0) {
		e.Lo, e.Hi, e.Sure = sorted[0], sorted[len(sorted)-1], false
	}
	return e
}

// A Difference is what pairs of runs say about two subjects.
type Difference struct {
	Ratio Estimate `json:"ratio"` // of one subject to the other, within rounds
	P     float64  `json:"p"`     // of ratios at least as far from 1 if there were no difference
	Pairs int      `json:"pairs"`
}

// Significant reports whether chance alone is an unlikely reason for the difference.
func (d *Difference) Significant() bool { return d.P < Alpha }

// Compare takes the ratio of each round. Pairing takes out what changes from round to round
// for both, such as a machine that gets warm.
func Compare(ratios []float64) Difference {
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		logs[i] = math.Log(r)
	}
	return Difference{Ratio: Of(ratios), P: signedRank(logs), Pairs: len(ratios)}
}

// signedRank is Wilcoxon's test of paired differences, two-sided: how likely are ranks of one
// sign as few as these, or fewer, when each sign is the toss of a coin? It is exact, ties
// included: it counts all 2^n ways to toss. Differences of 0 are left out. With 5 pairs
// the least it can give is 0.0625; below 6 pairs nothing is significant.
func signedRank(differences []float64) float64 {
	d := slices.DeleteFunc(slices.Clone(differences), func(x float64) bool { return x == 0 })
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := doubledRanks(d)
	total, negative := 0, 0
	for i, rank := range ranks {
		total += rank
		if d[i] < 0 {
			negative += rank
		}
	}
	// ways[s] is the share of tosses whose negative ranks add up to s.
	ways := make([]float64, total+1)
	ways[0] = 1
	for _, rank := range ranks {
		for s := total; s >= 0; s-- {
			ways[s] /= 2
			if s >= rank {
				ways[s] += ways[s-rank] / 2
			}
		}
	}
	p := 0.0
	for s := range min(negative, total-negative) + 1 {
		p += 2 * ways[s]
	}
	return min(p, 1)
}

// doubledRanks ranks values sorted by size from 1; equal ones share the mean of their ranks.
// Doubled, all are whole numbers.
func doubledRanks(sorted []float64) []int {
	ranks := make([]int, len(sorted))
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && math.Abs(sorted[j]) == math.Abs(sorted[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j // the mean of i+1 … j, twice
		}
		i = j
	}
	return ranks
}

// RankSum is the test of Mann and Whitney of two samples that are no pairs, two-sided: how
// likely are two samples this far apart, or farther, if both come from the same distribution?
func RankSum(x, y []float64) float64 {
	sample := func(values []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	}
	return benchmath.AssumeNothing.Compare(sample(x), sample(y)).P
}
