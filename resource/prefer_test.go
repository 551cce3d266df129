package resource

import (
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/batch"
)

func TestParsePrefer(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  preferences
	}{
		{nil, preferences{}},
		{[]string{"respond-async"}, preferences{async: true}},
		{[]string{"Respond-Async, WAIT=10"}, preferences{async: true, hasWait: true, wait: 10 * time.Second}},
		{[]string{"respond-async", "wait=\"7\""}, preferences{async: true, hasWait: true, wait: 7 * time.Second}},
		{[]string{"wait=3, wait=9"}, preferences{hasWait: true, wait: 3 * time.Second}}, // the first counts
		{[]string{"wait=99999999"}, preferences{hasWait: true, wait: maxPreferWait}},
		{[]string{"wait=-1"}, preferences{}},
		{[]string{"wait=1.5"}, preferences{}},
		{[]string{"wait=+5"}, preferences{}},
		{[]string{"wait=99999999999999999999"}, preferences{}},
		{[]string{"wait"}, preferences{}},
		{[]string{"return=minimal; foo=\"some, value\", wait=2"}, preferences{returned: returnMinimal, hasWait: true, wait: 2 * time.Second}},
		{[]string{"return=representation"}, preferences{returned: returnRepresentation}},
		{[]string{"handling=lenient, , ,"}, preferences{}},
		{[]string{"level=spool"}, preferences{hasLevel: true, level: batch.Spool}},
		{[]string{"level=Store, level=accept"}, preferences{hasLevel: true, level: batch.Store}},
		{[]string{"level=none"}, preferences{}},
	} {
		var lines [][]byte
		for _, l := range c.lines {
			lines = append(lines, []byte(l))
		}
		if got := parsePrefer(lines); got != c.want {
			t.Errorf("parsePrefer(%q) = %+v, want %+v", c.lines, got, c.want)
		}
	}
}
