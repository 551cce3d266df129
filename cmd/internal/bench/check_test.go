package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sampleCheck has three tries: in two the planted one has 0.9 of the rate and twice the CPU; in the
// last no p-value can be small, and the slow one has another name.
func sampleCheck() *Check {
	r := sample(10)
	for i := range r.Runs {
		if r.Runs[i].Subject == "<b>&" {
			r.Runs[i].Subject = planted
		}
	}
	r.Config.Subjects[1].Name = planted
	r.summarize()
	return &Check{Tries: 3, Percent: 5, Reports: []*Report{r, r, sample(3)}}
}

func TestCheckCountsWhatWasFound(t *testing.T) {
	c := sampleCheck()
	var b bytes.Buffer
	if err := c.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
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

// What was broken off before the first try was complete is still a report.
func TestCheckWithoutATryIsWritten(t *testing.T) {
	dir := t.TempDir()
	if err := (&Check{Percent: 5}).WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(html), "found means p") {
		t.Errorf("%v; no table in %s", err, html)
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
