// Package stats says what a handful of runs allow to be said: a median with an interval, and
// whether paired runs differ. It assumes nothing about how values are distributed.
//
//	e := stats.Of([]float64{101, 99, 104, 97, 100, 103})
//	fmt.Println(e.Median, e.Lo, e.Hi) // 100.5 97 104
//
//	d := stats.Compare([]float64{0.97, 0.96, 0.98, 0.97, 0.95, 0.99}) // ratios, run by run
//	fmt.Println(d.Ratio.Median, d.P, d.Significant()) // 0.97 0.03125 true
package stats
