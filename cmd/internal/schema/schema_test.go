package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

const answers = `{
	"type": "object",
	"required": ["user", "answers"],
	"properties": {
		"user": {"type": "string", "minLength": 1},
		"answers": {"type": "object", "additionalProperties": {"$ref": "answer.json"}}
	},
	"additionalProperties": false
}`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestValidate(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "answer.json", `{"type": ["string", "integer"]}`)
	s, err := Load([]string{"answers=" + write(t, dir, "answers.json", answers)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		collection, doc string
		pointers        []string // of the faults; nil: none
	}{
		{"answers", `{"user":"anna","answers":{"q1":"yes","q2":4}}`, nil},
		{"answers", `{"user":"anna","answers":{"q2":9007199254740993}}`, nil},
		{"other", `{"anything":[]}`, nil},
		{"answers", `{"user":"anna"}`, []string{""}},
		{"answers", `{"user":"","answers":{}}`, []string{"/user"}},
		{"answers", `{"user":"anna","answers":{"q1":1.5,"q/2":null}}`, []string{"/answers/q1", "/answers/q~12"}},
		{"answers", `{"user":"anna","answers":{},"more":1}`, []string{""}},
	} {
		err := s.Validate(c.collection, []byte(c.doc))
		if c.pointers == nil {
			if err != nil {
				t.Errorf("%s: %v", c.doc, err)
			}
			continue
		}
		p := router.AsProblem(err)
		if p == nil || p.Status != 422 {
			t.Errorf("%s: %v", c.doc, err)
			continue
		}
		faults := p.Extensions["errors"].([]fault)
		if len(faults) != len(c.pointers) {
			t.Errorf("%s: %v", c.doc, faults)
		}
		for _, want := range c.pointers {
			found := false
			for _, f := range faults {
				found = found || f.Pointer == want && f.Detail != "" && !strings.Contains(f.Detail, dir)
			}
			if !found {
				t.Errorf("%s: no fault at %q in %v", c.doc, want, faults)
			}
		}
		if _, err := json.Marshal(faults); err != nil {
			t.Error(err)
		}
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	good := write(t, dir, "good.json", `{}`)
	for spec, want := range map[string]string{
		"answers":                          "is not collection=file",
		"=x":                               "is not collection=file",
		"answers=" + dir + "/missing.json": "missing.json",
		"answers=" + write(t, dir, "bad.json", `{"type": 5}`):                                    "bad.json",
		"answers=" + write(t, dir, "broken.json", `{`):                                           "broken.json",
		"answers=" + write(t, dir, "remote.json", `{"$ref":"http://127.0.0.1:1/x.schema.json"}`): "remote.json",
	} {
		if _, err := Load([]string{spec}); err == nil || !strings.HasPrefix(err.Error(), "schema: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	if _, err := Load([]string{"a=" + good, "a=" + good}); err == nil {
		t.Error("two schemas for one collection were taken")
	}
}
