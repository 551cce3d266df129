//go:build chromium

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// wide is a report with more subjects than fit side by side, and long names.
func wide() *Report {
	r := sample(10)
	for i := range 7 {
		name := fmt.Sprintf("fasthttp-%d", i)
		r.Config.Subjects = append(r.Config.Subjects, Subject{Name: name})
		for _, run := range r.runs("timestamp", "baseline") {
			run.Subject, run.Rate = name, run.Rate/float64(i+2)
			r.Runs = append(r.Runs, run)
		}
	}
	r.summarize()
	return r
}

// look is what a script in the page measures.
const look = `JSON.stringify({
	Overflow: document.documentElement.scrollWidth - window.innerWidth,
	Charts: [...document.querySelectorAll("svg")].map(svg => ({
		Name: svg.closest("figure").id,
		Width: svg.getBoundingClientRect().width,
		Height: svg.getBoundingClientRect().height,
		Shapes: svg.querySelectorAll("rect, circle, polyline").length,
		Font: parseFloat(getComputedStyle(svg).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
		Outside: [...svg.querySelectorAll("text")].filter(t => {
			const b = t.getBBox(), v = svg.viewBox.baseVal
			return b.x < 0 || b.y < -1 || b.x + b.width > v.width || b.y + b.height > v.height + 1
		}).map(t => t.textContent),
	})),
})`

type seen struct {
	Overflow float64
	Charts   []struct {
		Name                        string
		Width, Height, Shapes, Font float64
		Outside                     []string
	}
}

// A browser that has no network opens the report: all charts are drawn, with no text cut off or too
// small to read, nothing is fetched, no error is on the console, and the page is no wider than
// the window. go test -tags chromium -artifacts keeps the screenshots.
func TestReportInChromium(t *testing.T) {
	browser := openBrowser(t)
	for name, r := range map[string]interface {
		WriteDir(string) error
		Charts() []Chart
	}{"usual": sample(10), "quick": sample(1), "wide": wide(), "check": sampleCheck()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := r.WriteDir(dir); err != nil {
				t.Fatal(err)
			}
			p := openPage(t, browser, filepath.Join(dir, "report.html"))
			for _, width := range []int64{1280, 400} {
				p.check(t, width, len(r.Charts()))
				p.screenshot(t, fmt.Sprintf("%s-%d.png", name, width))
			}
			p.quiet(t)
		})
	}
}

func openBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.Flag("disable-dev-shm-usage", true), // it may be small in a container
		chromedp.WSURLReadTimeout(time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("no Chromium to look with (apt-get install chromium): %v", err)
	}
	return ctx
}

// A tab is a page in Chromium, with all that it complained of.
type tab struct {
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

func openPage(t *testing.T, browser context.Context, file string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		t.Fatal(err)
	}
	return p
}

// hear notes what no report should cause.
func (p *tab) hear(event any) {
	complaint := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		complaint = fmt.Sprintf("console: %+v", e.Args)
	case *runtime.EventExceptionThrown:
		complaint = fmt.Sprintf("exception: %+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		complaint = fmt.Sprintf("log: %+v", e.Entry)
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "data:") && !strings.HasSuffix(url, "/report.html") {
			complaint = "fetched " + url
		}
	}
	if complaint != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.complaints = append(p.complaints, complaint)
	}
}

func (p *tab) check(t *testing.T, width int64, charts int) {
	t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		t.Fatal(err)
	}
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](look))
	if err != nil {
		t.Fatal(err)
	}
	var s seen
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	if s.Overflow > 0 {
		t.Errorf("at %d pixels the page is %v too wide", width, s.Overflow)
	}
	if len(s.Charts) != charts {
		t.Errorf("%d charts, want %d", len(s.Charts), charts)
	}
	for _, c := range s.Charts {
		if c.Width < 300 || c.Height < 20 || c.Shapes < 2 {
			t.Errorf("at %d pixels %s is %v × %v with %v shapes", width, c.Name, c.Width, c.Height, c.Shapes)
		}
		if c.Font < 9 {
			t.Errorf("at %d pixels the text of %s is %v high", width, c.Name, c.Font)
		}
		if len(c.Outside) > 0 {
			t.Errorf("%s cuts off %q", c.Name, c.Outside)
		}
	}
}

func (p *tab) screenshot(t *testing.T, name string) {
	t.Helper()
	const lossless = 100
	pixels, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(lossless))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), pixels, 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p *tab) quiet(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.complaints {
		t.Error(c)
	}
}
