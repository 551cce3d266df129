package baseline

import (
	"encoding/json"
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The right column is MongoDB's canonical Extended JSON, in which every type shows.
func TestAppendJSON(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{}`, `{}`},
		{`{"b":"1","a":"2"}`, `{"b":"1","a":"2"}`},
		{`{"a":true,"":false,"c":null}`, `{"a":true,"":false,"c":null}`},
		{`{"n":[2147483647,2147483648]}`, `{"n":[{"$numberInt":"2147483647"},{"$numberLong":"2147483648"}]}`},
		{`{"n":[-2147483648,-2147483649]}`, `{"n":[{"$numberInt":"-2147483648"},{"$numberLong":"-2147483649"}]}`},
		{`{"n":9223372036854775807}`, `{"n":{"$numberLong":"9223372036854775807"}}`},
		{`{"n":[1.0,1e3,-0,0.5]}`, `{"n":[{"$numberDouble":"1.0"},{"$numberDouble":"1000.0"},{"$numberDouble":"-0.0"},{"$numberDouble":"0.5"}]}`},
		{`{"s":"\u00e9\n\"x"}`, `{"s":"é\n\"x"}`},
		{`{"o":{"p":{}},"l":[[],[{}]]}`, `{"o":{"p":{}},"l":[[],[{}]]}`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			doc, err := appendJSON(nil, []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := bson.MarshalExtJSON(bson.Raw(doc), true, false)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNewSurvey(t *testing.T) {
	id := bson.ObjectID{1, 2, 3}
	got, err := newSurvey(id, []byte("ann"), []byte(`{"q":"yes"}`))
	if err != nil {
		t.Fatal(err)
	}
	want, err := bson.Marshal(struct {
		ID      bson.ObjectID     `bson:"_id"`
		User    string            `bson:"user"`
		Answers map[string]string `bson:"answers"`
	}{id, "ann", map[string]string{"q": "yes"}})
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got %v, want %v", got, bson.Raw(want))
	}
}

// What is taken is a whole BSON document, and whatever encoding/json takes is taken too, unless
// BSON cannot hold it.
func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2.5,"x",null,true,{"b":[]}]}`, `{"a":`, `{"a":01}`, `{"a":-}`, `[[[[`, `{"\u0000":1}`, `{"a":1} `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := appendJSON(nil, text)
		if err == nil {
			if err := bson.Raw(doc).Validate(); err != nil {
				t.Fatalf("%q became broken BSON: %v", text, err)
			}
			return
		}
		var object map[string]any
		if d := json.Unmarshal(text, &object); d == nil && object != nil && !errors.Is(err, errUnfit) {
			t.Fatalf("%q is a JSON object and was refused: %v", text, err)
		}
	})
}
