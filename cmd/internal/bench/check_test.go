package bench

import (
	"bytes"
	"strings"
	"testing"
)

func TestCheckCountsWhatWasFound(t *testing.T) {
	r := sample(10)
	for i := range r.Runs {
		if r.Runs[i].Subject == "<b>&" {
			r.Runs[i].Subject = planted
		}
	}
	r.Config.Subjects[1].Name = planted
	r.summarize()
	unsure := sample(3) // no p-value can be small, and the slow one has another name
	c := Check{Tries: 3, Percent: 5, Reports: []*Report{r, r, unsure}}
	var b bytes.Buffer
	if err := c.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	// The planted one has 0.9 of the rate and twice the CPU, in two of the reports.
	for _, want := range []string{
		"timestamp  control       3              0    1.000              0    1.000\n",
		"timestamp  planted       3              2    0.900              2    2.000\n",
		"5 % more CPU time",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestTryOutRefusesNothingToTry(t *testing.T) {
	for _, percent := range []float64{0, -5} {
		if c, err := TryOut(t.Context(), Config{Binary: "x"}, 20, percent); c != nil || err == nil {
			t.Errorf("%v %%: %v, %v", percent, c, err)
		}
	}
	if c, err := TryOut(t.Context(), Config{Binary: "x"}, 0, 5); c != nil || err == nil {
		t.Errorf("no tries: %v, %v", c, err)
	}
}
