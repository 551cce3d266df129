package resource

import (
	"bytes"
	"strconv"
	"time"
	"unsafe"

	"github.com/rapidrest/rapidrest/batch"
)

// maxPreferWait bounds "Prefer: wait=N"; a larger N counts as this.
const maxPreferWait = 5 * time.Minute

// returned is what "Prefer: return=…" asks to see in the answer.
type returned uint8

const (
	returnDefault returned = iota
	returnMinimal
	returnRepresentation
)

// preferences are those of RFC 7240 that are known here, and level=accept|spool|store, our
// own. Unknown and malformed ones are ignored, as the RFC asks; of two of one name the first
// counts.
type preferences struct {
	async    bool
	hasWait  bool
	hasLevel bool
	level    batch.Level
	returned returned
	wait     time.Duration
}

// parsePrefer reads the Prefer headers of a request.
func parsePrefer(lines [][]byte) preferences {
	var p preferences
	for _, line := range lines {
		for len(line) > 0 {
			var item []byte
			item, line = cutList(line, ',')
			item, _ = cutList(item, ';')
			name, value, _ := bytes.Cut(item, []byte{'='})
			p.take(trimSpace(name), unquote(trimSpace(value)))
		}
	}
	return p
}

// take enters one preference, unless it was given before.
func (p *preferences) take(name, value []byte) {
	switch {
	case bytes.EqualFold(name, []byte("respond-async")):
		p.async = true
	case bytes.EqualFold(name, []byte("wait")) && !p.hasWait:
		// RFC 7240 section 4.3: delta-seconds, digits only.
		if n, err := strconv.ParseUint(text(value), 10, 31); err == nil {
			p.hasWait = true
			p.wait = min(time.Duration(n)*time.Second, maxPreferWait)
		}
	case bytes.EqualFold(name, []byte("return")) && p.returned == returnDefault:
		switch text(bytes.ToLower(value)) {
		case "minimal":
			p.returned = returnMinimal
		case "representation":
			p.returned = returnRepresentation
		}
	case bytes.EqualFold(name, []byte("level")) && !p.hasLevel:
		p.level, p.hasLevel = levelOf(value)
	}
}

// levelOf reads the name of a level.
func levelOf(name []byte) (batch.Level, bool) {
	switch text(bytes.ToLower(name)) {
	case "accept":
		return batch.Accept, true
	case "spool":
		return batch.Spool, true
	case "store":
		return batch.Store, true
	}
	return 0, false
}

// unquote takes the quotes off a quoted-string; what it holds escaped means nothing to us.
func unquote(s []byte) []byte {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// text is b as a string, without a copy: for calls that do not keep it.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
