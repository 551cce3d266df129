package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// process is what a command knows of the process it runs in. kong hands it to each Run.
type process struct {
	stdout io.Writer
	log    *slog.Logger
	stop   context.Context // ends with the first SIGINT or SIGTERM: stop admission and drain
	kill   context.Context // ends with the second: leave at once
	reload <-chan os.Signal
}

// newProcess starts to listen to signals; release stops that.
func newProcess(stdout, stderr io.Writer) (p *process, release func()) {
	stop, first := context.WithCancel(context.Background())
	kill, second := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	go func() {
		for _, end := range []context.CancelFunc{first, second} {
			select {
			case <-signals:
				end()
			case <-kill.Done():
				return
			}
		}
		signal.Stop(signals) // a third one ends the process in the system's way
	}()
	p = &process{
		stdout: stdout,
		log:    slog.New(slog.NewTextHandler(stderr, nil)),
		stop:   stop, kill: kill, reload: reload,
	}
	return p, func() {
		signal.Stop(signals)
		signal.Stop(reload)
		first()
		second()
	}
}
