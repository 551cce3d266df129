package batch

import "time"

// Hooks are functions that a buffer calls on events, for metrics and the like. Each may be nil. They
// are called from the flusher, or from Add for Refused, without any lock held, and hold up whom they
// are called from; they must not call Flush or Close.
type Hooks struct {
	// Flushed: the server answered a batch.
	Flushed func(Flush)
	// Retry: documents go out again. why is "no answer", "unsent", "split" or "the server asks for it".
	Retry func(name, why string, docs int, cause error)
	// DeadLetter: documents ended badly and nobody heard it. Written says whether the dead letter
	// took them.
	DeadLetter func(name string, docs int, written bool)
	// Refused: Add let documents not in. err is what it returns.
	Refused func(name string, docs int, err error)
	// Health: the store counts as down from now on, because of cause, or is back.
	Health func(name string, down bool, cause error)
}

// Flush describes a batch that the server answered.
type Flush struct {
	Name                     string
	Docs, Bytes              int
	Took                     time.Duration
	Stored, Rejected, Failed int
	Again                    int // documents to be sent again
}

func (b *Buffer) reportRetry(why string, docs int, cause error) {
	b.cfg.Logger.Warn("batch: trying again", "why", why, "documents", docs, "error", cause)
	if b.cfg.Hooks.Retry != nil {
		b.cfg.Hooks.Retry(b.cfg.Name, why, docs, cause)
	}
}

func (b *Buffer) reportHealth(down bool, cause error) {
	if down {
		b.cfg.Logger.Error("batch: the store is down", "error", cause)
	} else {
		b.cfg.Logger.Info("batch: the store is back")
	}
	if b.cfg.Hooks.Health != nil {
		b.cfg.Hooks.Health(b.cfg.Name, down, cause)
	}
}
