package resource

import "testing"

func TestMediaOf(t *testing.T) {
	for _, c := range []struct {
		in   string
		want media
	}{
		{"application/json", mediaJSON},
		{"Application/JSON; charset=UTF-8", mediaJSON},
		{" application/json ;charset=utf-8", mediaJSON},
		{"application/vnd.survey.v1+json", mediaJSON},
		{"application/x-ndjson", mediaNDJSON},
		{"APPLICATION/NDJSON", mediaNDJSON},
		{"application/jsonl; charset=utf-8", mediaNDJSON},
		{"application/merge-patch+json", mediaMergePatch},
		{"", mediaOther},
		{"text/plain", mediaOther},
		{"application/jsonp", mediaOther},
		{"application/+json", mediaOther},
		{"application/x-www-form-urlencoded", mediaOther},
		{"xapplication/json", mediaOther},
		{"application/json, text/plain", mediaOther},
	} {
		if got := mediaOf([]byte(c.in)); got != c.want {
			t.Errorf("mediaOf(%q) = %d, want %d", c.in, got, c.want)
		}
	}
}

func TestLesson44_TypeParametersAndCaseDoNotMatter(t *testing.T) {
	if mediaOf([]byte("Application/JSON; charset=UTF-8")) != mediaJSON {
		t.Error("Application/JSON; charset=UTF-8 is not taken for JSON")
	}
}

func TestAcceptsJSON(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   bool
	}{
		{"", true},
		{"application/json", true},
		{"APPLICATION/JSON;q=0.1", true},
		{"text/html, */*;q=0.8", true},
		{"application/*", true},
		{"text/html", false},
		{"text/html, application/xml", false},
		{"application/json;q=0", false},
		{"application/json;q=0.000, */*", false},         // the specific range decides
		{"*/*;q=0, application/json", true},              // in either order
		{"application/*;q=0, */*", false},                // application/* is more specific
		{"*/*;q=0", false},                               //
		{`text/x;p="a,b", application/json`, true},       // a comma within quotes
		{`text/x;p="application/json"`, false},           //
		{"application/json;version=1;q=0.5", true},       //
		{"application/json; q = 0", false},               // lenient about spaces
		{"application/json;q=0.001", true},               //
		{"application/json;q=0, application/json", true}, // a second mention takes it
	} {
		if got := acceptsJSON([]byte(c.accept)); got != c.want {
			t.Errorf("acceptsJSON(%q) = %v, want %v", c.accept, got, c.want)
		}
	}
}
