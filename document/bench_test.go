package document_test

import (
	"encoding/json"
	"os"
	"testing"

	jsoniter "github.com/json-iterator/go"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/document"
)

// samples are three answered surveys, and a small and a large batch of events.
var samples = []string{"survey14", "survey10", "survey8", "events2k", "events60k"}

func sample(t testing.TB, name string) []byte {
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A way leads from a request's body to BSON.
type way struct {
	name string
	run  func(text []byte) error
}

// ways are Append, encoding/json's Valid as a yardstick (it only looks), and what else people use.
func ways() []way {
	var buf []byte
	return []way{
		{"Append", func(text []byte) (err error) {
			buf, _, err = document.Append(buf[:0], text, nil)
			return err
		}},
		{"json.Valid", func(text []byte) error {
			json.Valid(text)
			return nil
		}},
		{"UnmarshalExtJSON", func(text []byte) error {
			var raw bson.Raw
			return bson.UnmarshalExtJSON(text, false, &raw)
		}},
		{"jsoniter+Marshal", viaMap(jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal)},
		{"json+Marshal", viaMap(json.Unmarshal)},
	}
}

func viaMap(unmarshal func([]byte, any) error) func([]byte) error {
	return func(text []byte) error {
		var m map[string]any
		if err := unmarshal(text, &m); err != nil {
			return err
		}
		_, err := bson.Marshal(m)
		return err
	}
}

// BenchmarkJSONToBSON compares the ways. All run in one go, so that ratios can be read off one
// output.
func BenchmarkJSONToBSON(b *testing.B) {
	for _, name := range samples {
		text := sample(b, name)
		for _, way := range ways() {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if err := way.run(text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkBSONToJSON compares AppendJSON with the driver, in relaxed Extended JSON.
func BenchmarkBSONToJSON(b *testing.B) {
	for _, name := range samples {
		raw, _, err := document.Append(nil, sample(b, name), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/AppendJSON", func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				if buf, err = document.AppendJSON(buf[:0], raw, document.Relaxed); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/MarshalExtJSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bson.MarshalExtJSON(bson.Raw(raw), false, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBuild is what a survey server does: a user and the answers, as they came, under a new id.
func BenchmarkBuild(b *testing.B) {
	text := sample(b, "survey14")
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		d := document.Build(buf[:0], nil)
		d.String("user", "ada")
		d.JSON("answers", text)
		var err error
		if buf, _, err = d.End(); err != nil {
			b.Fatal(err)
		}
	}
}
