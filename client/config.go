package client

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Defaults of the fields of Config that are left zero.
const (
	DefaultRequests    = 30_000 // what the study of 2012 sent in every run
	DefaultConnections = 16
	DefaultPipeline    = 8
	DefaultTimeout     = 10 * time.Second
)

// Limits of Config. They keep a slip of the finger from taking all memory.
const (
	MaxConnections = 100_000
	MaxPipeline    = 10_000
)

// Config says what to send, how much of it, and how fast. Only URL is needed. Run copies
// what it keeps; Bodies and Header must not change while it runs.
type Config struct {
	// URL is where requests go: http://host[:port]/target, https://… or
	// unix:///path/of.sock:/target. {user} and {n} in the target are filled per request:
	// {n} is the request's number from 0, warm-up included, {user} is eight hexadecimal
	// digits that no other of the first 4,294,967,296 requests has.
	URL string

	// Method is the request method; empty means POST.
	Method string

	// Header holds further header lines, "Name: value". Content-Type defaults to
	// application/json where there is a body; Host and Content-Length are the client's.
	Header []string

	// Bodies are sent in turn. None with POST, PUT or PATCH means SurveyAnswers. With any
	// other method, none means no body.
	Bodies [][]byte

	// FillBodies fills {user} and {n} in bodies too.
	FillBodies bool

	// Requests to send and measure. 0 means DefaultRequests, or no end if Duration is set.
	Requests int64

	// Duration stops new requests after this time of measuring; what is under way is
	// still awaited. 0 means no limit.
	Duration time.Duration

	// Warmup requests are sent first and count in no figure of the result.
	Warmup int64

	// Connections are kept open side by side, each with up to Pipeline requests on their way;
	// never more than there are requests, warm-up included.
	Connections int
	Pipeline    int

	// Rate makes the load open loop: request k is due k/Rate seconds after the start, sent
	// then whatever became of the others, and its latency counts from when it was due.
	// 0 means closed loop: the next request leaves when an answer has come.
	Rate float64

	// Ramp spreads the opening of connections over this time; with Rate it is the time
	// in which the rate grows from nothing to Rate.
	Ramp time.Duration

	// Timeout bounds the wait for one answer, and how long a connection tries to come back
	// when the server is gone: nothing waits longer, so a run always ends.
	Timeout time.Duration

	// TLS is used for https; nil verifies the server against the system's roots.
	TLS *tls.Config

	// Progress, when set, is called about once a second from a goroutine of its own.
	Progress func(Progress)
}

// Progress is how far a run has come.
type Progress struct {
	Elapsed  time.Duration // since the start, warm-up included
	Answered int64         // complete answers so far, warm-up included
	Total    int64         // answers that are to come in all; 0 where only Duration ends the run
}

// hasBody tells the methods whose requests carry a body when none was given.
func hasBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

// withDefaults returns the configuration with every zero value replaced, or every fault in
// it at once.
func (c Config) withDefaults() (Config, error) {
	if c.Method == "" {
		c.Method = "POST"
	}
	if len(c.Bodies) == 0 && hasBody(c.Method) {
		c.Bodies = SurveyAnswers()
	}
	if c.Requests == 0 && c.Duration == 0 {
		c.Requests = DefaultRequests
	}
	setDefault(&c.Connections, DefaultConnections)
	setDefault(&c.Pipeline, DefaultPipeline)
	setDefault(&c.Timeout, DefaultTimeout)
	err := c.check()
	if all := c.Requests + c.Warmup; c.Requests > 0 && all > 0 {
		c.Connections = int(min(int64(c.Connections), all))
	}
	return c, err
}

// Validate returns every fault of the configuration, as Run would.
func (c Config) Validate() error {
	_, _, err := c.resolve()
	return err
}

// resolve is what Run makes of the configuration before it starts.
func (c Config) resolve() (Config, target, error) {
	c, err := c.withDefaults()
	t, urlErr := parseTarget(c.URL)
	return c, t, errors.Join(err, urlErr)
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

func (c *Config) check() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("client: "+format, args...))
		}
	}
	fault(!isToken(c.Method), "method %q is no token", c.Method)
	fault(c.Requests < 0, "%d requests", c.Requests)
	fault(c.Warmup < 0, "%d requests of warm-up", c.Warmup)
	fault(c.Duration < 0, "a duration of %v", c.Duration)
	fault(c.Ramp < 0, "a ramp of %v", c.Ramp)
	fault(c.Timeout < 0, "a timeout of %v", c.Timeout)
	fault(!(c.Rate >= 0 && c.Rate <= 1e9), "a rate of %v a second", c.Rate)
	fault(c.Connections < 0 || c.Connections > MaxConnections, "%d connections, and 1 to %d are possible", c.Connections, MaxConnections)
	fault(c.Pipeline < 0 || c.Pipeline > MaxPipeline, "a pipeline of %d, and 1 to %d are possible", c.Pipeline, MaxPipeline)
	for _, line := range c.Header {
		faults = append(faults, checkHeader(line))
	}
	return errors.Join(faults...)
}

// checkHeader refuses what would break the framing of requests or what the client sets itself.
func checkHeader(line string) error {
	name, _, ok := strings.Cut(line, ":")
	switch {
	case !ok || !isToken(name):
		return fmt.Errorf("client: header %q is no \"Name: value\"", line)
	case strings.ContainsAny(line, "\r\n\x00"):
		return fmt.Errorf("client: header %q holds a line break", line)
	case slices.ContainsFunc([]string{"Host", "Content-Length", "Transfer-Encoding"}, func(own string) bool {
		return strings.EqualFold(name, own)
	}):
		return fmt.Errorf("client: header %q is set by the client itself", line)
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// ReadBodies reads one body a line, as NDJSON has them. Blank lines are skipped; what a
// line holds is not looked at, so that bad JSON can be sent on purpose.
func ReadBodies(r io.Reader) ([][]byte, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("client: reading bodies: %w", err)
	}
	var bodies [][]byte
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			bodies = append(bodies, line)
		}
	}
	if len(bodies) == 0 {
		return nil, errors.New("client: no body in an empty file")
	}
	return bodies, nil
}
