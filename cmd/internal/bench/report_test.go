package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
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
	for name, r := range map[string]interface {
		WriteDir(string) error
		Charts() []Chart
	}{"measure": sample(10), "check": sampleCheck()} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new")
			if err := r.WriteDir(dir); err != nil {
				t.Fatal(err)
			}
			whole(t, dir, r.Charts())
		})
	}
}

func whole(t *testing.T, dir string, charts []Chart) {
	if len(charts) == 0 {
		t.Fatal("no chart")
	}
	for _, c := range charts {
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
		pixels, err := os.Open(filepath.Join(dir, c.Name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(pixels)
		pixels.Close()
		if err != nil || img.Bounds().Dx() != chartWidth*pngScale {
			t.Fatalf("%s.png: %v", c.Name, err)
		}
		if n := coloured(img); n < 100 {
			t.Errorf("%s.png has %d pixels with a colour", c.Name, n)
		}
		if regexp.MustCompile(`NaN|Inf|="-`).Match(text) {
			t.Errorf("%s has a coordinate that is none: %s", c.Name, text)
		}
	}
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(html, []byte("<b>&")) || bytes.Count(html, []byte("<svg")) != len(charts) {
		t.Error("a name is not escaped, or a chart is missing")
	}
	outside := strings.ReplaceAll(string(html), `xmlns="http://www.w3.org/2000/svg"`, "")
	if m := regexp.MustCompile(`(https?:)?//[a-z]|src=|@import|url\(`).FindString(outside); m != "" {
		t.Errorf("the page refers to %q", m)
	}
}

// coloured counts the pixels that are neither paper nor ink nor a shade between.
func coloured(img image.Image) (n int) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r != g || g != b {
				n++
			}
		}
	}
	return n
}

// A trend is shown run by run, and has no median among the scenarios' figures.
func TestTrendsAreShownRunByRun(t *testing.T) {
	r := sample(1)
	r.Runs = nil
	r.Scenarios, _ = chosen([]string{"upsert"})
	r.Scenarios[0].Requests = 30_000
	for round := range 10 {
		for _, subject := range r.Config.Subjects {
			r.Runs = append(r.Runs, Run{
				Scenario: "upsert", Subject: subject.Name, Round: round, Requests: 30_000,
				Rate: 3836 - 200*float64(round), RSS: 30 << 20, Client: &client.Result{},
			})
		}
	}
	r.summarize()
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	// The first quarter is 3836 and 3636, the last 2236 and 2036: medians 3736 and 2136.
	for _, want := range []string{"\n    30,000           3,836    30 ", "\n   300,000           2,036    30 ", "\nlast/first           0.572  1.00"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "\nupsert "); n != 1 {
		t.Errorf("upsert is in %d tables beside its own, and only what it costs should be there:\n%s", n, b.String())
	}
}

func TestGroupsStandForTheirScenarios(t *testing.T) {
	for name, want := range map[string]int{"documents": 2, "all": len(scenarios), "decay": 1} {
		if list, err := chosen([]string{name}); err != nil || len(list) != want {
			t.Errorf("%s: %d scenarios, %v; want %d", name, len(list), err, want)
		}
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
