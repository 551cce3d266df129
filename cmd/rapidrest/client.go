package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rapidrest/rapidrest/client"
)

type clientCommand struct {
	URL string `arg:"" help:"http://HOST:PORT/PATH, https://… or unix:///SOCKET:/PATH. {user} and {n} in the path are filled per request."`

	Requests    int64         `help:"Requests to send; 0 means 30000, or no end with --duration." default:"0"`
	Duration    time.Duration `help:"Stop sending after this time, such as 30s; 0 means no limit." default:"0s"`
	Warmup      int64         `help:"Requests sent first that count in no figure." default:"0"`
	Connections int           `help:"Connections side by side." default:"16"`
	Pipeline    int           `help:"Requests on their way on each connection." default:"8"`
	Rate        float64       `help:"Requests a second, sent when they are due (open loop); 0 sends as answers come." default:"0"`
	Ramp        time.Duration `help:"Time in which connections are opened or, with --rate, the rate grows." default:"0s"`
	Timeout     time.Duration `help:"How long to wait for an answer, and for a server that is gone." default:"10s"`
	Method      string        `help:"Request method." default:"POST"`
	Header      []string      `help:"A further header line, 'Name: value'; may be repeated." sep:"none"`
	Body        string        `help:"File with one body a line, sent in turn. Without it, POST, PUT and PATCH send three built-in survey answers." type:"existingfile" placeholder:"FILE.ndjson"`
	Fill        bool          `help:"Fill {user} and {n} in bodies too."`
	Insecure    bool          `help:"Take any TLS certificate."`
	JSON        bool          `name:"json" help:"Print the result as one JSON object." env:"RAPIDREST_JSON"`
}

// Validate refuses what the client could not send, as a fault of the command line. That the URL
// is missing is for the parser to say, which comes later.
func (c *clientCommand) Validate() error {
	if c.URL == "" {
		return nil
	}
	return c.config().Validate()
}

func (c *clientCommand) config() client.Config {
	config := client.Config{
		URL: c.URL, Method: c.Method, Header: c.Header, FillBodies: c.Fill,
		Requests: c.Requests, Duration: c.Duration, Warmup: c.Warmup,
		Connections: c.Connections, Pipeline: c.Pipeline,
		Rate: c.Rate, Ramp: c.Ramp, Timeout: c.Timeout,
	}
	if c.Insecure {
		config.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	return config
}

// Run sends the load and prints what became of it. It fails when an answer was not 2xx, or
// is missing; a signal ends it early, with what is known by then.
func (c *clientCommand) Run(p *process) error {
	config := c.config()
	if c.Body != "" {
		file, err := os.Open(c.Body)
		if err != nil {
			return err
		}
		defer file.Close()
		if config.Bodies, err = client.ReadBodies(file); err != nil {
			return err
		}
	}
	clear := func() {}
	if isTerminal(os.Stderr) {
		config.Progress, clear = liveLine(os.Stderr)
	}
	result, err := client.Run(p.stop, config)
	clear()
	if result == nil {
		return err
	}
	if c.JSON {
		err = errors.Join(err, json.NewEncoder(p.stdout).Encode(result))
	} else {
		err = errors.Join(err, result.WriteText(p.stdout))
	}
	return errors.Join(err, result.Err())
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// liveLine shows progress in one line that overwrites itself, until clear is called.
func liveLine(w io.Writer) (show func(client.Progress), clear func()) {
	const wipe = "\r\x1b[K"
	var last client.Progress
	show = func(now client.Progress) {
		rate := float64(now.Answered-last.Answered) / (now.Elapsed - last.Elapsed).Seconds()
		last = now
		total := ""
		if now.Total > 0 {
			total = fmt.Sprintf(" of %d", now.Total)
		}
		fmt.Fprintf(w, wipe+"%.0f s  %d%s answered  %.0f/s", now.Elapsed.Seconds(), now.Answered, total, rate)
	}
	return show, func() { io.WriteString(w, wipe) }
}
