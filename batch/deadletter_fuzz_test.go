package batch

import (
	"bytes"
	"testing"
)

// FuzzReadDeadLetter reads arbitrary bytes as a dead letter. It never panics, and what it reads is
// written and read again as the same.
func FuzzReadDeadLetter(f *testing.F) {
	f.Add([]byte(`{"time":"2026-01-02T03:04:05Z","collection":"c","outcome":"rejected","code":1,"reason":"r","document":{"_id":{"$numberInt":"1"}}}` + "\n"))
	f.Add([]byte(`{"outcome":"failed","base64":"BQAAAAA="}` + "\n\n{\n"))
	f.Add([]byte(`{"outcome":"failed","document":` + string(bytes.Repeat([]byte("["), 20_000))))
	f.Fuzz(func(t *testing.T, data []byte) {
		for l, err := range ReadDeadLetter(bytes.NewReader(data)) {
			if err != nil {
				continue
			}
			for again, err := range ReadDeadLetter(bytes.NewReader(l.append(nil))) {
				if err != nil {
					t.Fatalf("%v is written and not read: %v", l, err)
				}
				if again.Collection != l.Collection || again.Outcome != l.Outcome || !bytes.Equal(again.Document, l.Document) {
					t.Fatalf("%v is read again as %v", l, again)
				}
			}
		}
	})
}
