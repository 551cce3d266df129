package router

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// Designs that lost, in little code: literals and plain parameters only. They are measured
// through Serve, in place of the search, so that all that surrounds it is the same.

// mapTree is the plain tree: a map of a node's literals.
type mapTree struct {
	literals map[string]*mapTree
	param    *mapTree
	leaf     *leaf
}

func (n *mapTree) add(segs []segment, l *leaf) {
	for _, s := range segs {
		if s.kind != literal {
			if n.param == nil {
				n.param = new(mapTree)
			}
			n = n.param
			continue
		}
		if n.literals[s.text] == nil {
			if n.literals == nil {
				n.literals = map[string]*mapTree{}
			}
			n.literals[s.text] = new(mapTree)
		}
		n = n.literals[s.text]
	}
	n.leaf = l
}

func (n *mapTree) find(c *Ctx, pos, slot int) *leaf {
	if pos > len(c.path) {
		return n.leaf
	}
	end := len(c.path)
	if i := bytes.IndexByte(c.path[pos:], '/'); i >= 0 {
		end = pos + i
	}
	if next := n.literals[string(c.path[pos:end])]; next != nil {
		if l := next.find(c, end+1, slot); l != nil {
			return l
		}
	}
	if n.param == nil || end == pos || isDots(c.path[pos:end]) || bytes.ContainsAny(c.path[pos:end], "%?\x00") {
		return nil
	}
	c.spans[slot] = span{uint32(pos), uint32(end)}
	return n.param.find(c, end+1, slot+1)
}

// lists holds the routes by their number of segments, in the order of precedence, and tries
// one after the other.
type lists [16][]*leaf

func (ls *lists) find(c *Ctx) *leaf {
	var ends [16]int
	n := 0
	for i := 1; i <= len(c.path); i++ {
		if i == len(c.path) || c.path[i] == '/' {
			ends[n] = i
			if n++; n == len(ends) {
				return nil
			}
		}
	}
next:
	for _, l := range ls[n] {
		pos, slot := 1, 0
		for i := range l.route.parsed.segments {
			s := &l.route.parsed.segments[i]
			text := c.path[pos:ends[i]]
			if s.kind == literal {
				if string(text) != s.text {
					continue next
				}
			} else {
				if len(text) == 0 || isDots(text) || bytes.ContainsAny(text, "%?\x00") {
					continue next
				}
				c.spans[slot] = span{uint32(pos), uint32(ends[i])}
				slot++
			}
			pos = ends[i] + 1
		}
		return l
	}
	return nil
}

// serveBy is Serve with another search.
func serveBy(m *Matcher, ctx *fasthttp.RequestCtx, find func(c *Ctx, method int) *leaf) {
	c := m.pool.at(ctx)
	if !c.isFor(ctx) {
		c = m.pool.miss(ctx)
	}
	c.RequestCtx = ctx
	defer m.pool.settle(c)
	c.path = ctx.Request.Header.RequestURI()
	if l := find(c, m.methods.number(ctx.Request.Header.Method())); l != nil {
		c.route = l.route
		if err := l.run(c); err != nil {
			c.fail(err)
		}
	}
}

func BenchmarkDesigns(b *testing.B) {
	for _, name := range setNames[:2] {
		m := compileSet(b, name, count)
		trees, lists := make([]mapTree, len(m.methods.names)), make([]lists, len(m.methods.names))
		routes := slices.Clone(m.routes)
		order(routes)
		for _, r := range routes {
			i, l := slices.Index(m.methods.names, r.method), &leaf{route: r, run: count, direct: true}
			segs := r.parsed.segments
			if len(segs) == 0 {
				segs = []segment{{kind: literal}}
			}
			trees[i].add(segs, l)
			lists[i][len(r.parsed.segments)] = append(lists[i][len(r.parsed.segments)], l)
		}
		for _, d := range []struct {
			name  string
			serve func(*fasthttp.RequestCtx)
		}{
			{"this", m.Serve},
			{"maps", func(r *fasthttp.RequestCtx) {
				serveBy(m, r, func(c *Ctx, i int) *leaf { return trees[i].find(c, 1, 0) })
			}},
			{"lists", func(r *fasthttp.RequestCtx) {
				serveBy(m, r, func(c *Ctx, i int) *leaf { return lists[i].find(c) })
			}},
		} {
			b.Run(name+"/"+d.name, func(b *testing.B) {
				requests := prepared(b, name, fasthttp.StatusOK)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					d.serve(requests[i])
					if i++; i == len(requests) {
						i = 0
					}
				}
			})
		}
	}
}

// BenchmarkGrowth hits each of 20, 200 and 2,000 routes once a pass, with one context.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			table := New()
			var targets [][]byte
			for i := range n {
				pattern := fmt.Sprintf("/service%d/{id}/items%d/{item}", i%97, i)
				table.Get(pattern, count)
				targets = append(targets, []byte(strings.NewReplacer("{id}", "id-1", "{item}", "item-2").Replace(pattern)))
			}
			m, ctx := mustCompile(b, table), request("GET", "/")
			i := 0
			for b.Loop() {
				ctx.Request.Header.SetRequestURIBytes(targets[i])
				m.Serve(ctx)
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}
