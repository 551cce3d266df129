package spool

import (
	"bytes"
	"testing"
	"time"
)

// FuzzSegment reads arbitrary bytes as a segment. Whatever they are, records and damage together
// cover them from the first byte to the last without overlap, and a record that is found is one that
// would be written.
func FuzzSegment(f *testing.F) {
	whole := header{base: 7, created: time.Unix(0, 1), name: "answers"}.append(nil)
	f.Add(whole)
	for n := range 3 {
		whole = appendRecord(whole, Record{Flags: byte(n), Doc: doc(n, 30)})
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	bad := bytes.Clone(whole)
	bad[len(bad)-60] ^= 1
	f.Add(bad)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		at := 0
		if _, size, err := readHeader(data); err == nil {
			at = size
		}
		scan(data, func(r Record, off, end int) bool {
			if off != at {
				t.Fatalf("a record at %d, expected at %d", off, at)
			}
			if again := appendRecord(nil, r); !bytes.Equal(again, data[off:end]) {
				t.Fatalf("read %x, would write %x", data[off:end], again)
			}
			at = end
			return true
		}, func(d damage) {
			if d.from != at || d.to < d.from || d.tail != (d.to == len(data)) {
				t.Fatalf("damage %+v, expected from %d", d, at)
			}
			_ = d.String()
			at = d.to
		})
		if at != len(data) {
			t.Fatalf("read up to %d of %d", at, len(data))
		}
	})
}

// FuzzAcks holds the reader of ack files against a map of bytes.
func FuzzAcks(f *testing.F) {
	f.Add(span{1, 5}.append(span{5, 9}.append(span{2, 3}.append(nil))), 4, 6)
	f.Add([]byte("short"), 0, 1)
	f.Fuzz(func(t *testing.T, data []byte, off, end int) {
		spans := readAcks(data)
		for i, s := range spans {
			if s.from >= s.to || i > 0 && spans[i-1].to >= s.from {
				t.Fatalf("not sorted and apart: %v", spans)
			}
		}
		if off < 0 || end <= off || end > 1<<20 {
			return
		}
		want := true
		for at := off; at < end; at++ {
			in := false
			for _, s := range spans {
				in = in || uint32(at) >= s.from && uint32(at) < s.to
			}
			want = want && in
		}
		if got := covers(spans, off, end); got != want {
			t.Fatalf("%v covers %d to %d: %v, want %v", spans, off, end, got, want)
		}
	})
}
