package router

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reference is the matcher as the package comment describes it, in the plainest words: every
// route is tried, and those that fit are sorted. It shares no code with the matcher.
type reference struct{ routes []*Route }

type answer struct {
	status  int // 0: the route answers
	pattern string
	method  string
	values  []string
	allow   []string
	missing []string
}

var (
	hex24    = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)
	uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

var refTypes = map[string]func(string) bool{
	"uint": func(s string) bool { _, err := strconv.ParseUint(s, 10, 0); return err == nil && s[0] != '+' },
	"int":  func(s string) bool { _, err := strconv.ParseInt(s, 10, 0); return err == nil && s[0] != '+' },
	"objectid": func(s string) bool {
		return hex24.MatchString(s)
	},
	"uuid": func(s string) bool {
		return uuidForm.MatchString(s)
	},
	"vowels": func(s string) bool { return strings.Trim(s, "aeiou/") == "" },
}

func (ref reference) match(method, target string) answer {
	raw, query, _ := strings.Cut(target, "?")
	if !strings.HasPrefix(raw, "/") {
		return answer{status: 404}
	}
	var segs []string
	for _, s := range strings.Split(raw[1:], "/") {
		d, err := url.PathUnescape(s)
		if err != nil || strings.Contains(d, "\x00") || slices.ContainsFunc(strings.Split(d, "/"), func(p string) bool { return p == "." || p == ".." }) {
			return answer{status: 400}
		}
		segs = append(segs, d)
	}
	type candidate struct {
		r      *Route
		ranks  []int
		values []string
	}
	var fit []candidate
	var methods []string
	for _, r := range ref.routes {
		path, _, _ := strings.Cut(r.pattern, "?")
		if ranks, values, ok := refFit(strings.Split(path[1:], "/"), segs); ok {
			methods = append(methods, r.method)
			if r.method == method || method == "HEAD" && r.method == "GET" {
				fit = append(fit, candidate{r, ranks, values})
			}
		}
	}
	required := func(r *Route) int { n, _ := refQuery(r, ""); return len(n) }
	slices.SortFunc(fit, func(a, b candidate) int {
		return cmp.Or(slices.Compare(a.ranks, b.ranks), required(b.r)-required(a.r), cmp.Compare(b.r.method, a.r.method))
	})
	for _, c := range fit {
		if missing, values := refQuery(c.r, query); len(missing) == 0 {
			return answer{pattern: c.r.pattern, method: c.r.method, values: append(c.values, values...)}
		}
	}
	if len(fit) > 0 {
		missing, _ := refQuery(fit[0].r, query)
		return answer{status: 400, missing: missing}
	}
	if len(methods) == 0 {
		return answer{status: 404}
	}
	if slices.Contains(methods, "GET") {
		methods = append(methods, "HEAD")
	}
	methods = append(methods, "OPTIONS")
	slices.Sort(methods)
	a := answer{status: 405, allow: slices.Compact(methods)}
	if method == "OPTIONS" {
		a.status = 204
	}
	return a
}

// refFit fits segments to a pattern's, and returns the values and, for sorting, how specific each segment is.
func refFit(pattern, segs []string) (ranks []int, values []string, ok bool) {
	for i, p := range pattern {
		open, end := strings.Index(p, "{"), strings.Index(p, "}")
		if open >= 0 && strings.HasSuffix(p, "...}") {
			last := len(segs)
			if last > i+1 && segs[last-1] == "" {
				last--
			}
			if i >= len(segs) || slices.Contains(segs[i:last], "") {
				return nil, nil, false
			}
			return append(ranks, 4), append(values, strings.Join(segs[i:], "/")), true
		}
		if i >= len(segs) {
			return nil, nil, false
		}
		if open < 0 {
			if segs[i] != p {
				return nil, nil, false
			}
			ranks = append(ranks, 0, 0, 0, 0)
			continue
		}
		_, typ, isTyped := strings.Cut(p[open+1:end], ":")
		prefix, suffix := p[:open], p[end+1:]
		v, fits := strings.CutPrefix(segs[i], prefix)
		if fits {
			v, fits = strings.CutSuffix(v, suffix)
		}
		if !fits || v == "" || isTyped && !refTypes[typ](v) {
			return nil, nil, false
		}
		kind := 3
		if isTyped {
			kind = 2
		}
		if prefix+suffix != "" {
			kind = 1
		}
		rank := slices.Index([]string{"uint", "int", "objectid", "uuid", "vowels", ""}, typ)
		ranks = append(ranks, kind, -len(prefix), -len(suffix), rank)
		values = append(values, v)
	}
	return ranks, values, len(pattern) == len(segs)
}

// refQuery returns the keys that a query does not satisfy, and the values.
func refQuery(r *Route, query string) (missing, values []string) {
	_, template, _ := strings.Cut(r.pattern, "?")
	for part := range strings.SplitSeq(template, "&") {
		if part == "" {
			continue
		}
		key, inner, _ := strings.Cut(part, "=")
		inner, fallback, optional := strings.Cut(strings.Trim(inner, "{}"), "=")
		_, typ, isTyped := strings.Cut(inner, ":")
		v, sound := "", true
		for pair := range strings.SplitSeq(query, "&") {
			k, val, _ := strings.Cut(pair, "=")
			if d, err := url.QueryUnescape(k); err == nil && d == key {
				d, err := url.QueryUnescape(val)
				v, sound = d, err == nil
				break
			}
		}
		switch {
		case sound && v == "" && optional:
			v = fallback
		case !sound || v == "" || isTyped && !refTypes[typ](v):
			missing = append(missing, key)
		}
		values = append(values, v)
	}
	return missing, values
}
