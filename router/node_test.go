package router

import (
	"fmt"
	"strings"
	"testing"
)

// Five hundred literals of one length under one node, told apart by a number at their beginning or
// their end: whatever the length, a search must not have to try many of them.
func TestHash_LiteralsOfAnyLengthSpread(t *testing.T) {
	for _, size := range []int{3, 7, 8, 9, 12, 15, 16, 17, 40} {
		for _, format := range []string{"%[1]s%03[2]d", "%03[2]d%[1]s"} {
			table := New()
			for i := range 500 {
				table.Get("/"+fmt.Sprintf(format, strings.Repeat("x", size-3), i)+"/{id}", count)
			}
			if longest := longestChain(&mustCompile(t, table).trees[0]); longest > 8 {
				t.Errorf("size %d, %s: %d literals in one place", size, format, longest)
			}
		}
	}
}

func TestHash_PathsOfAnyLengthSpread(t *testing.T) {
	for size := 3; size <= 32; size++ { // longer ones may differ where no word is
		for _, format := range []string{"%[1]s%03[2]d", "%03[2]d%[1]s"} {
			paths := make(map[string]*leaf)
			for i := range 500 {
				paths["/"+fmt.Sprintf(format, strings.Repeat("x", size-3), i)] = &leaf{direct: true}
			}
			w := newWholes(paths)
			for i := range w.places {
				first := anyWordsOf([]byte(w.texts[i])).hash() & w.mask
				if behind := i - int(first); w.texts[i] != "" && behind > 16 {
					t.Errorf("%q lies %d places behind its own", w.texts[i], behind)
				}
			}
		}
	}
}

func longestChain(t *tree) int {
	longest := 0
	for i := range t.nodes {
		n := 1
		for at := t.nodes[i].more; at != nowhere; at = t.nodes[at].more {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}
