package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// DeadLetter writes documents that ended badly, with nobody to hear it, to a file: one line of JSON
// for each,
//
//	{"time":"2026-01-02T15:04:05Z","collection":"answers","outcome":"rejected","code":11000,"reason":"…","document":{…}}
//
// with the document as canonical Extended JSON, which loses nothing. Any number of buffers may share
// one. Nothing is ever deleted: a file that is full is renamed to FILE.1, or the next number that is
// free, and FILE begins anew.
type DeadLetter struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File
	size int64
	buf  []byte
}

// OpenDeadLetter opens or creates the file at path and appends to it. From max bytes on it is
// rotated; 0 means never.
func OpenDeadLetter(path string, max int64) (*DeadLetter, error) {
	d := &DeadLetter{path: path, max: max}
	if err := d.open(); err != nil {
		return nil, fmt.Errorf("batch: dead letter: %w", err)
	}
	return d, nil
}

// open opens the file for appending. A last line that a crash cut short is ended, so that it spoils
// no other.
func (d *DeadLetter) open() error {
	f, err := os.OpenFile(d.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			_, err = f.WriteString("\n")
			size++
		}
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	d.file, d.size = f, size
	return nil
}

// Path returns the file's path.
func (d *DeadLetter) Path() string { return d.path }

// Write appends letters and forces them to the disk. With an error none of them counts as written.
func (d *DeadLetter) Write(letters []Letter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return fmt.Errorf("batch: dead letter %q: %w", d.path, fs.ErrClosed)
	}
	d.buf = d.buf[:0]
	for i := range letters {
		d.buf = letters[i].append(d.buf)
	}
	if d.max > 0 && d.size > 0 && d.size+int64(len(d.buf)) > d.max {
		if err := d.rotate(); err != nil {
			return fmt.Errorf("batch: dead letter %q: rotate: %w", d.path, err)
		}
	}
	if _, err := d.file.Write(d.buf); err != nil {
		// Half a line would spoil the next one.
		return fmt.Errorf("batch: dead letter %q: %w", d.path, errors.Join(err, d.file.Truncate(d.size)))
	}
	d.size += int64(len(d.buf))
	if cap(d.buf) > 1<<20 {
		d.buf = nil
	}
	if err := d.file.Sync(); err != nil {
		return fmt.Errorf("batch: dead letter %q: %w", d.path, err)
	}
	return nil
}

// rotate renames the full file and begins a new one. Link refuses an existing name, so that no
// older file is ever overwritten, whoever else rotates here.
func (d *DeadLetter) rotate() error {
	for n := 1; ; n++ {
		err := os.Link(d.path, fmt.Sprintf("%s.%d", d.path, n))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Remove(d.path)
		}
		if err != nil {
			return err
		}
		break
	}
	old := d.file
	if err := d.open(); err != nil {
		return err
	}
	return old.Close()
}

// Close closes the file.
func (d *DeadLetter) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	return err
}

// Letter is one line of a dead letter.
type Letter struct {
	Time       time.Time
	Collection string
	Outcome    Outcome
	Document   bson.Raw
}

// line is a Letter's form in the file. Base64 stands in for Document where the bytes are no BSON
// that can be printed.
type line struct {
	Time       time.Time       `json:"time"`
	Collection string          `json:"collection"`
	Outcome    string          `json:"outcome"`
	Code       int32           `json:"code,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Document   json.RawMessage `json:"document,omitempty"`
	Base64     []byte          `json:"base64,omitempty"`
}

// append appends the letter's line.
func (l *Letter) append(dst []byte) []byte {
	out := line{Time: l.Time.UTC(), Collection: l.Collection, Outcome: l.Outcome.Kind.String(),
		Code: l.Outcome.Code, Reason: l.Outcome.Reason}
	if text, err := bson.MarshalExtJSON(l.Document, true, false); err == nil && json.Valid(text) {
		out.Document = text
	} else {
		out.Base64 = l.Document
	}
	text, err := json.Marshal(out)
	if err != nil { // only a time past the year 9999 could do it
		out.Time = time.Time{}
		text, _ = json.Marshal(out)
	}
	return append(append(dst, text...), '\n')
}

// ReadDeadLetter reads what a DeadLetter wrote, line by line. A line that can't be read yields its
// error, with its number, and the next one follows; an error of r ends it.
func ReadDeadLetter(r io.Reader) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		in := bufio.NewReader(r)
		for n := 1; ; n++ {
			text, readErr := in.ReadBytes('\n')
			if len(text) > 1 || len(text) == 1 && readErr != nil {
				l, err := readLetter(text)
				if err != nil {
					err = fmt.Errorf("batch: dead letter: line %d: %w", n, err)
				}
				if !yield(l, err) {
					return
				}
			}
			if readErr == io.EOF {
				return
			}
			if readErr != nil {
				yield(Letter{}, fmt.Errorf("batch: dead letter: %w", readErr))
				return
			}
		}
	}
}

func readLetter(text []byte) (Letter, error) {
	var in line
	if err := json.Unmarshal(text, &in); err != nil {
		return Letter{}, err
	}
	l := Letter{Time: in.Time, Collection: in.Collection, Outcome: Outcome{Code: in.Code, Reason: in.Reason}}
	switch in.Outcome {
	case "rejected":
		l.Outcome.Kind = Rejected
	case "failed":
		l.Outcome.Kind = Failed
	default:
		return l, fmt.Errorf("outcome %q: not rejected or failed", in.Outcome)
	}
	switch {
	case in.Document != nil:
		var doc bson.D
		if err := bson.UnmarshalExtJSON(in.Document, true, &doc); err != nil {
			return l, err
		}
		raw, err := bson.Marshal(doc)
		l.Document = raw
		return l, err
	case len(in.Base64) > 0:
		l.Document = in.Base64
		return l, nil
	}
	return l, errors.New("no document")
}

// bury writes c's orphans to the dead letter, and returns those that it did not take.
func (b *Buffer) bury(c *cargo, outcomes []Outcome, orphans []int) (unwritten []int) {
	if len(orphans) == 0 {
		return nil
	}
	letters := make([]Letter, len(orphans))
	now := time.Now()
	for n, i := range orphans {
		letters[n] = Letter{Time: now, Collection: b.cfg.Name, Outcome: outcomes[i], Document: c.docs[i]}
	}
	err := errors.New("there is no dead letter")
	if b.cfg.DeadLetter != nil {
		err = b.cfg.DeadLetter.Write(letters)
	}
	first := outcomes[orphans[0]]
	if err != nil {
		unwritten = orphans
		b.cfg.Logger.Error("batch: documents lost", "documents", len(orphans), "outcome", first.Kind, "reason", first.Reason, "error", err)
	} else {
		b.cfg.Logger.Error("batch: documents to the dead letter", "documents", len(orphans), "outcome", first.Kind, "reason", first.Reason)
	}
	if b.cfg.Hooks.DeadLetter != nil {
		b.cfg.Hooks.DeadLetter(b.cfg.Name, len(orphans), err == nil)
	}
	return unwritten
}
