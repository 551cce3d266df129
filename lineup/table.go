package main

import (
	"fmt"
	"io"
	"strings"
)

// Table is printed with a row for each subject and a column for each set.
type Table struct {
	Title    string
	Columns  []string
	Subjects []Subject
	Figures  [][]Figure // by column, then by subject
}

// Print writes the rows, what ours is of the best peer, and what the marks mean.
func (t Table) Print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n%-22s", t.Title, "ns per request / allocs")
	for _, c := range t.Columns {
		fmt.Fprintf(w, "%18s", c)
	}
	fmt.Fprintln(w)
	for i, s := range t.Subjects {
		fmt.Fprintf(w, "%-23s", s.Name)
		for _, column := range t.Figures {
			fmt.Fprintf(w, "%18s", column[i])
		}
		fmt.Fprintln(w)
	}
	t.printRatio(w)
	for _, column := range t.Figures {
		for _, f := range column {
			if f.Mark != "" {
				fmt.Fprintf(w, "  * %s\n", f.Mark)
			}
		}
	}
}

// String writes a figure as "73.1 / 0", with a star where the router answers otherwise.
func (f Figure) String() string {
	star := ""
	if f.Mark != "" {
		star = "*"
	}
	return fmt.Sprintf("%s%.1f / %.0f", star, f.Nanos, f.Allocs)
}

// printRatio compares the first row with the best of the others. A peer with a mark does other
// work: it is shown and not compared with.
func (t Table) printRatio(w io.Writer) {
	var b strings.Builder
	for _, column := range t.Figures {
		best := -1
		for i := 1; i < len(column); i++ {
			if column[i].Mark == "" && (best < 0 || column[i].Nanos < column[best].Nanos) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		fmt.Fprintf(&b, "%18s", fmt.Sprintf("%.2f %s", column[0].Nanos/column[best].Nanos, short(t.Subjects[best].Name)))
	}
	fmt.Fprintf(w, "%-23s%s\n", t.Subjects[0].Name+" ÷ best peer", b.String())
}

// short cuts a name so that it fits a column beside a ratio.
func short(name string) string {
	if len(name) > 10 {
		return name[:10]
	}
	return name
}

// printGrowth writes for each subject how much more a request costs in the largest table than in
// the smallest.
func (t Table) printGrowth(w io.Writer) {
	first, last := t.Figures[0], t.Figures[len(t.Figures)-1]
	fmt.Fprintf(w, "\ngrowth of the cost from %s to %s\n", t.Columns[0], t.Columns[len(t.Columns)-1])
	for i, s := range t.Subjects {
		fmt.Fprintf(w, "%-23s%18s\n", s.Name, fmt.Sprintf("%.2f times", last[i].Nanos/first[i].Nanos))
	}
}
