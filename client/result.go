package client

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Kind is why a request that was sent has no answer, or, for Dial, why it could not be sent.
type Kind string

// The kinds of errors. All but Dial count requests; Dial counts attempts to connect.
const (
	Dial     Kind = "dial"     // no connection, or no TLS handshake
	Timeout  Kind = "timeout"  // no complete answer within Config.Timeout
	Reset    Kind = "reset"    // the connection broke
	Closed   Kind = "closed"   // the server closed the connection before it answered
	Short    Kind = "short"    // the server closed the connection in the middle of the answer
	Parse    Kind = "parse"    // what came is no HTTP/1.1, or follows what is none
	Canceled Kind = "canceled" // the context ended first
)

// A Result says what became of the requests of a run. Warm-up is in none of its figures but
// Dials and Errors[Dial].
//
// Always Sent = Answered + the sum of Errors without Dial, and Answered = the sum of Status.
type Result struct {
	Requests int64          `json:"requests"` // asked for; with Duration alone, those that were sent
	Sent     int64          `json:"sent"`     // written to a connection, wholly or in part
	Answered int64          `json:"answered"` // answers read to their end
	Status   map[int]int64  `json:"status"`   // answers by status
	Errors   map[Kind]int64 `json:"errors"`   // the rest by kind; no entry where there was none

	// Samples has the text of one error of each kind.
	Samples map[Kind]string `json:"samples,omitempty"`

	Seconds float64 `json:"seconds"` // from the first measured request to the last answer
	RPS     float64 `json:"rps"`     // answers a second

	// Latency runs from when a request was due to the end of its answer. In closed loop that
	// is when it was sent; Uncorrected, in open loop only, always runs from then and so hides
	// the requests that should have been sent while the server stalled.
	Latency     Latency  `json:"latency_us"`
	Uncorrected *Latency `json:"latency_uncorrected_us,omitempty"`

	CPUSeconds    float64  `json:"cpu_seconds"`      // of this process, user and system
	CPUPerRequest float64  `json:"cpu_us_per_req"`   // microseconds an answer
	BytesRead     int64    `json:"bytes_read"`       // with warm-up
	BytesWritten  int64    `json:"bytes_written"`    // with warm-up
	Dials         int64    `json:"dials"`            // connections opened
	Limits        []string `json:"limits,omitempty"` // what in the client itself held the figures down
}

// Latency holds quantiles in microseconds, exact to 0.1 % (1 % beyond 128 connections).
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99.9"`
	Max  float64 `json:"max"`
}

// Missing is how many of the requests asked for have no answer.
func (r *Result) Missing() int64 { return r.Requests - r.Answered }

// Unsent is how many requests were never sent because no connection could be had.
func (r *Result) Unsent() int64 { return r.Requests - r.Sent }

// Failed is how many requests have no answer, or one whose status is not 2xx.
func (r *Result) Failed() int64 {
	failed := r.Missing()
	for status, n := range r.Status {
		if status/100 != 2 {
			failed += n
		}
	}
	return failed
}

// Latencies are kept in nanoseconds, in steps of 512 ns and up to an hour.
const (
	finestLatency  = int64(time.Microsecond)
	longestLatency = int64(time.Hour)
)

// newHistogram makes the histogram of one connection: 190 kB, or 24 kB where there are many.
func newHistogram(connections int) *hdrhistogram.Histogram {
	digits := 3
	if connections > 128 {
		digits = 2
	}
	return hdrhistogram.New(finestLatency, longestLatency, digits)
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	us := func(percentile float64) float64 {
		return float64(h.ValueAtPercentile(percentile)) / 1e3
	}
	return Latency{
		Mean: h.Mean() / 1e3,
		P50:  us(50), P90: us(90), P99: us(99), P999: us(99.9),
		Max: float64(h.Max()) / 1e3,
	}
}

// A tally is what one connection has counted; tallies are added up when the run is over.
type tally struct {
	sent, answered int64
	status         [1000]int64
	errors         map[Kind]int64
	samples        map[Kind]string
	read, written  int64
	dials          int64
	late           int64 // left over a millisecond after they were due though the connection was free
	lastAnswer     int64 // nanoseconds since the start
	latency        *hdrhistogram.Histogram
	uncorrected    *hdrhistogram.Histogram // nil in closed loop
}

func newTally(c *Config) *tally {
	t := &tally{errors: map[Kind]int64{}, samples: map[Kind]string{}, latency: newHistogram(c.Connections)}
	if c.Rate > 0 {
		t.uncorrected = newHistogram(c.Connections)
	}
	return t
}

func (t *tally) fail(kind Kind, n int64, err error) {
	if n == 0 {
		return
	}
	t.errors[kind] += n
	if _, ok := t.samples[kind]; !ok && err != nil {
		t.samples[kind] = err.Error()
	}
}

func (t *tally) add(o *tally) {
	t.sent += o.sent
	t.answered += o.answered
	t.read += o.read
	t.written += o.written
	t.dials += o.dials
	t.late += o.late
	t.lastAnswer = max(t.lastAnswer, o.lastAnswer)
	for status, n := range o.status {
		t.status[status] += n
	}
	for kind, n := range o.errors {
		t.errors[kind] += n
	}
	for kind, sample := range o.samples {
		if _, ok := t.samples[kind]; !ok {
			t.samples[kind] = sample
		}
	}
	t.latency.Merge(o.latency)
	if t.uncorrected != nil {
		t.uncorrected.Merge(o.uncorrected)
	}
}
