package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/client"
)

// sample is a report in which the second subject has nine tenths of the first one's rate and
// twice its CPU, and the control scatters by 1 %.
func sample(runs int) *Report {
	c, err := Config{Binary: "x", Runs: runs, Subjects: []Subject{{Name: "baseline"}, {Name: "<b>&"}, {Name: Control}}}.withDefaults()
	if err != nil {
		panic(err)
	}
	r := &Report{Config: c, Complete: true, Ceilings: map[string]float64{"GET": 12_000, "POST": 1e6}}
	r.Scenarios, _ = chosen([]string{"timestamp", "single"})
	for i := range r.Scenarios {
		r.Scenarios[i].Requests = 1000
		for round := range runs {
			drift := 10_000 * (1 + 0.1*float64(round))
			for k, factor := range []float64{1, 0.9, 1 + 0.01*float64(round%3-1)} {
				r.Runs = append(r.Runs, Run{
					Scenario: r.Scenarios[i].Name, Subject: c.Subjects[k].Name, Round: round,
					Requests: 1000, Seconds: 0.1, Rate: drift * factor, ServerCPU: []float64{5, 10, 5}[k], ClientCPU: 3, DatabaseCPU: 20,
					RSS: 30 << 20, PeakRSS: int64(30+round) << 20,
					Client: &client.Result{Latency: client.Latency{P50: 100, P99: 1000, P999: 2000}},
				})
			}
		}
	}
	r.summarize()
	return r
}

func TestSummaries(t *testing.T) {
	r := sample(10)
	s := r.Summaries[1]
	if len(r.Summaries) != 6 || s.Runs != 10 || s.Subject != "<b>&" || s.PeakRSS != 39<<20 {
		t.Fatalf("%+v", r.Summaries)
	}
	// Pairing takes the drift out: though rates nearly double, every ratio is 0.9.
	if d := s.RateChange; math.Abs(d.Ratio.Lo-0.9) > 1e-9 || math.Abs(d.Ratio.Hi-0.9) > 1e-9 || d.P != 2.0/1024 || !d.Significant() {
		t.Errorf("%+v", d)
	}
	if d := s.CPUChange; math.Abs(d.Ratio.Median-2) > 1e-9 {
		t.Errorf("%+v", d)
	}
	if d := r.Summaries[2].RateChange; d.Significant() {
		t.Errorf("the control differs: %+v", d)
	}
	if noise := r.Noise("single"); math.Abs(noise-0.01) > 1e-9 {
		t.Errorf("noise floor %v", noise)
	}
	if !r.Limited(&r.Summaries[0]) || r.Limited(&r.Summaries[3]) {
		t.Error("14,500/s is near a ceiling of 12,000, and far from one of a million")
	}
}

func TestTableSaysWhatItCannotKnow(t *testing.T) {
	r := sample(3)
	r.Complete = false
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"lowest…highest", "Not complete: 18 runs", "Too few runs", "0.900", "Limited by the client: timestamp on baseline"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// Every chart is well-formed, names are escaped, and nothing is fetched from anywhere.
func TestReportIsWholeByItself(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	r := sample(10)
	if err := r.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Charts() {
		text, err := os.ReadFile(filepath.Join(dir, c.Name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		}
		if regexp.MustCompile(`NaN|Inf|="-`).Match(text) {
			t.Errorf("%s has a coordinate that is none: %s", c.Name, text)
		}
	}
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(html, []byte("<b>&")) || bytes.Count(html, []byte("<svg")) != len(r.Charts()) {
		t.Error("a name is not escaped, or a chart is missing")
	}
	outside := strings.ReplaceAll(string(html), `xmlns="http://www.w3.org/2000/svg"`, "")
	if m := regexp.MustCompile(`(https?:)?//[a-z]|src=|@import|url\(`).FindString(outside); m != "" {
		t.Errorf("the page refers to %q", m)
	}
}

func TestComparison(t *testing.T) {
	dir := t.TempDir()
	if err := sample(10).WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	a, err := ReadReport(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	faster := sample(10)
	for i := range faster.Runs {
		faster.Runs[i].Rate *= 3
	}
	for _, test := range []struct {
		b    *Report
		says string
	}{{a, "+0.0%"}, {a, "no difference found"}, {faster, "+200.0%"}, {faster, "differs"}} {
		var out bytes.Buffer
		if err := WriteComparison(&out, a, test.b); err != nil || !strings.Contains(out.String(), test.says) {
			t.Errorf("%v; %q is missing in %s", err, test.says, out.String())
		}
	}
	if err := WriteComparison(io.Discard, a, &Report{}); err == nil {
		t.Error("nothing to compare, and no error")
	}
	if _, err := ReadReport(filepath.Join(dir, "report.html")); err == nil {
		t.Error("a page was read as a report")
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	for _, c := range []Config{{}, {Binary: "x", Runs: -1}, {Binary: "x", Requests: -1}, {Binary: "x", Scenarios: []string{"nonsense"}}} {
		if r, err := Measure(t.Context(), c); err == nil || r != nil || !strings.HasPrefix(err.Error(), "bench: ") {
			t.Errorf("%+v: %v, %v", c, r, err)
		}
	}
}
