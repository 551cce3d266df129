package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 1}, 3}, {[]float64{9, 1, 4}, 4}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Of(test.values).Median; !near(got, test.want) {
			t.Errorf("median of %v is %v", test.values, got)
		}
	}
}

// The interval of order statistics: of 10 values the 2nd to the 9th hold the median with
// 1 - 2·(1+10)/1024 = 97.9 %, while the 3rd to the 8th do with 89.1 %. Of 6, the 1st to the 6th
// with 96.9 %; of 5, not even the 1st to the 5th (93.75 %).
func TestInterval(t *testing.T) {
	ten := []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}
	for _, test := range []struct {
		values []float64
		want   Estimate
	}{
		{ten, Estimate{5.5, 2, 9, true}},
		{ten[:6], Estimate{5.5, 1, 10, true}},
		{ten[:5], Estimate{8, 1, 10, false}},
	} {
		if got := Of(test.values); got != test.want {
			t.Errorf("%v: %+v", test.values, got)
		}
	}
}

// Known values: of all tosses, 2/2^n are as extreme as all signs alike. The third is Wilcoxon's
// table: n = 8, the smaller sum 3, p = 2·5/256 (subsets of 1…8 with sum 0…3: {}, 1, 2, 3, 12).
// With ties {1, 1, 2} all positive, still 2/8.
func TestSignedRank(t *testing.T) {
	for _, test := range []struct {
		differences []float64
		want        float64
	}{
		{[]float64{1, 2, 3, 4, 5}, 2.0 / 32},
		{[]float64{-1, -2, -3, -4, -5, -6, -7, -8, -9, -10}, 2.0 / 1024},
		{[]float64{-1, -2, 3, 4, 5, 6, 7, 8}, 10.0 / 256},
		{[]float64{1, -1}, 1},
		{[]float64{1, 1, 2}, 2.0 / 8},
		{[]float64{0, 0, 1, 2}, 2.0 / 4},
		{nil, 1},
	} {
		if got := signedRank(test.differences); !near(got, test.want) {
			t.Errorf("%v: p = %v instead of %v", test.differences, got, test.want)
		}
	}
}

// Against brute force: all 2^n signs of the same sizes, ties among them.
func TestSignedRankAgainstAllSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + random.IntN(9)
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(1+random.IntN(6)) * float64(1-2*random.IntN(2))
		}
		if got, want := signedRank(d), bruteSignedRank(d); !near(got, want) {
			t.Errorf("%v: p = %v instead of %v", d, got, want)
		}
	}
}

func bruteSignedRank(d []float64) float64 {
	rank := make([]float64, len(d))
	for i, x := range d {
		for _, y := range d {
			switch {
			case math.Abs(y) < math.Abs(x):
				rank[i]++
			case math.Abs(y) == math.Abs(x):
				rank[i] += 0.5
			}
		}
		rank[i] += 0.5
	}
	distance := func(negative func(i int) bool) float64 {
		sum := 0.0
		for i := range d {
			if negative(i) {
				sum -= rank[i]
			} else {
				sum += rank[i]
			}
		}
		return math.Abs(sum)
	}
	seen := distance(func(i int) bool { return d[i] < 0 })
	extreme := 0
	for signs := range 1 << len(d) {
		if distance(func(i int) bool { return signs>>i&1 == 1 }) >= seen {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(d))
}

// Of tries without a difference, 5 % may look like one; a planted 5 % must be found. Runs here
// scatter by 3 %, as on a machine that is not alone.
func TestCompareFindsWhatIsThereAndNothingElse(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	found := func(truth float64) int {
		n := 0
		for range 1000 {
			ratios := make([]float64, 10)
			for i := range ratios {
				ratios[i] = truth * (1 + 0.03*random.NormFloat64()) / (1 + 0.03*random.NormFloat64())
			}
			if d := Compare(ratios); d.Significant() {
				n++
			}
		}
		return n
	}
	if n := found(1); n > 70 {
		t.Errorf("a difference found in %d of 1,000 tries where there was none", n)
	}
	if n := found(0.95); n < 850 {
		t.Errorf("a 5 %% difference found in only %d of 1,000 tries", n)
	}
}

// Wholly apart, two samples of 5 have p = 2 / C(10,5) = 2/252; of 3, 2 / C(6,3) = 0.1.
func TestRankSum(t *testing.T) {
	for _, test := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{[]float64{6, 7, 8}, []float64{1, 2, 3}, 2.0 / 20},
	} {
		if got := RankSum(test.x, test.y); !near(got, test.want) {
			t.Errorf("%v, %v: p = %v instead of %v", test.x, test.y, got, test.want)
		}
	}
}
