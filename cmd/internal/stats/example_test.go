package stats_test

import (
	"fmt"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

func Example() {
	e := stats.Of([]float64{101, 99, 104, 97, 100, 103})
	fmt.Println(e.Median, e.Lo, e.Hi)

	d := stats.Compare([]float64{0.97, 0.96, 0.98, 0.97, 0.95, 0.99}) // ratios, run by run
	fmt.Println(d.Ratio.Median, d.P, d.Significant())
	// Output:
	// 100.5 97 104
	// 0.97 0.03125 true
}
