package router

import (
	"fmt"
	"strings"
)

// kind is what a segment of a pattern is. Its order is the order of precedence.
type kind uint8

const (
	literal kind = iota // users
	affixed             // {name}.json, v{major:int}
	typed               // {id:int}
	plain               // {id}
	rest                // {path...}
)

// segment is one part of a pattern between two slashes.
type segment struct {
	kind           kind
	text           string     // of a literal
	prefix, suffix string     // around an affixed parameter
	typ            *paramType // nil: any text
}

// queryKey is one key of a query template. Its parameter has the slot after those of the
// keys before it.
type queryKey struct {
	key      string
	typ      *paramType // nil: any text
	required bool
	fallback string // the value of an optional key that is absent
}

// pattern is what a route's pattern says, taken apart.
type pattern struct {
	segments  []segment
	slash     bool // it ends in a slash
	query     []queryKey
	names     []string // of the parameters, by slot
	pathSlots int      // how many of them stand in the path
}

// parsePattern takes a pattern apart. resolve returns the type of a name, or nil;
// a type that is unknown as yet is kept with its name alone, for Compile to complain of.
func parsePattern(s string, resolve func(string) *paramType) (pattern, error) {
	p := parser{resolve: resolve}
	path, query, hasQuery := strings.Cut(s, "?")
	err := p.path(path)
	p.out.pathSlots = len(p.out.names)
	if err == nil && hasQuery {
		err = p.query(query)
	}
	if err != nil {
		return pattern{}, fmt.Errorf("router: pattern %q: %w", s, err)
	}
	return p.out, nil
}

type parser struct {
	resolve func(string) *paramType
	out     pattern
}

func (p *parser) path(s string) error {
	if s == "" || s[0] != '/' {
		return fmt.Errorf("does not begin with a slash")
	}
	if i := strings.IndexAny(s, "%\x00"); i >= 0 {
		return fmt.Errorf("%q at byte %d: patterns are written decoded, and hold no NUL", s[i], i)
	}
	s = s[1:]
	if s == "" {
		p.out.slash = true
		return nil
	}
	if strings.HasSuffix(s, "/") {
		p.out.slash = true
		s = s[:len(s)-1]
	}
	parts := strings.Split(s, "/")
	for i, part := range parts {
		seg, err := p.segment(part)
		if err != nil {
			return err
		}
		if seg.kind == rest && (i < len(parts)-1 || p.out.slash) {
			return fmt.Errorf("%q is not at the end", part)
		}
		p.out.segments = append(p.out.segments, seg)
	}
	return nil
}

func (p *parser) segment(s string) (segment, error) {
	switch s {
	case "":
		return segment{}, fmt.Errorf("an empty segment")
	case ".", "..":
		return segment{}, fmt.Errorf("a dot segment %q", s)
	}
	prefix, inner, suffix, err := braces(s)
	if err != nil {
		return segment{}, err
	}
	if inner == "" {
		return segment{kind: literal, text: s}, nil
	}
	inner = inner[1 : len(inner)-1]
	seg := segment{kind: plain, prefix: prefix, suffix: suffix}
	name, isRest := strings.CutSuffix(inner, "...")
	name, typ, isTyped := strings.Cut(name, ":")
	if isRest {
		if isTyped || prefix != "" || suffix != "" {
			return segment{}, fmt.Errorf("%q: a catch-all has no type and no text around it", s)
		}
		seg.kind = rest
	}
	if isTyped {
		seg.kind = typed
		if seg.typ, err = p.typeOf(typ); err != nil {
			return segment{}, err
		}
	}
	if prefix != "" || suffix != "" {
		seg.kind = affixed
	}
	return seg, p.name(name)
}

// braces splits s around its only {…}; inner includes the braces, and is "" where s has none.
func braces(s string) (prefix, inner, suffix string, err error) {
	open, end := strings.IndexByte(s, '{'), strings.IndexByte(s, '}')
	if open < 0 && end < 0 {
		return "", "", "", nil
	}
	if open < 0 || end < open {
		return "", "", "", fmt.Errorf("unbalanced braces in %q", s)
	}
	prefix, inner, suffix = s[:open], s[open:end+1], s[end+1:]
	if strings.ContainsAny(suffix, "{}") || strings.Contains(inner[1:], "{") {
		return "", "", "", fmt.Errorf("more than one parameter in %q", s)
	}
	return prefix, inner, suffix, nil
}

func (p *parser) typeOf(name string) (*paramType, error) {
	if !isName(name) {
		return nil, fmt.Errorf("%q is no name of a type", name)
	}
	if t := p.resolve(name); t != nil {
		return t, nil
	}
	return &paramType{name: name, rank: registered}, nil
}

// name adds a parameter, which thereby gets the next slot.
func (p *parser) name(name string) error {
	if !isName(name) {
		return fmt.Errorf("%q is no name of a parameter: letters, digits, _ and -, a letter or _ first", name)
	}
	for _, n := range p.out.names {
		if n == name {
			return fmt.Errorf("the name %q twice", name)
		}
	}
	p.out.names = append(p.out.names, name)
	return nil
}

func (p *parser) query(s string) error {
	for part := range strings.SplitSeq(s, "&") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" || strings.ContainsAny(key, "{}%?\x00") {
			return fmt.Errorf("%q is no key={name} of a query template", part)
		}
		for i := range p.out.query {
			if p.out.query[i].key == key {
				return fmt.Errorf("the query key %q twice", key)
			}
		}
		if err := p.queryValue(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) queryValue(key, s string) error {
	prefix, inner, suffix, err := braces(s)
	if err != nil {
		return err
	}
	if inner == "" || prefix != "" || suffix != "" {
		return fmt.Errorf("the query key %q: %q is no {name}, {name:type} or {name:type=default}", key, s)
	}
	q := queryKey{key: key}
	inner, fallback, optional := strings.Cut(inner[1:len(inner)-1], "=")
	q.fallback, q.required = fallback, !optional
	name, typ, isTyped := strings.Cut(inner, ":")
	if isTyped {
		if q.typ, err = p.typeOf(typ); err != nil {
			return err
		}
	}
	if optional && q.typ != nil && q.typ.fits != nil && !q.typ.fits([]byte(fallback)) {
		return fmt.Errorf("the query key %q: the default %q is no %s", key, fallback, q.typ.name)
	}
	p.out.query = append(p.out.query, q)
	return p.name(name)
}

// isName reports whether s can name a parameter or a type.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '_', c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c == '-' || c >= '0' && c <= '9'):
		default:
			return false
		}
	}
	return s != ""
}

// takes reports whether v, decoded, is a value of the segment's parameter.
func (s segment) takes(v string) bool {
	if v == "" || strings.IndexByte(v, 0) >= 0 || hasDots([]byte(s.prefix+v+s.suffix)) {
		return false
	}
	if s.kind == rest {
		v = strings.TrimSuffix(v, "/")
		return v != "" && v[0] != '/' && v[len(v)-1] != '/' && !strings.Contains(v, "//")
	}
	return s.typ == nil || s.typ.fits == nil || s.typ.fits([]byte(v))
}

// String writes the segment as a pattern does, without the parameter's name.
func (s segment) String() string {
	switch {
	case s.kind == literal:
		return s.text
	case s.kind == rest:
		return "{...}"
	case s.typ != nil:
		return s.prefix + "{:" + s.typ.name + "}" + s.suffix
	}
	return s.prefix + "{}" + s.suffix
}

// takes reports whether v, decoded, satisfies the key.
func (q *queryKey) takes(v string) bool {
	return v != "" && (q.typ == nil || q.typ.fits == nil || q.typ.fits([]byte(v)))
}

// String writes the key as a template does, without the parameter's name.
func (q *queryKey) String() string {
	if q.typ != nil {
		return q.key + "={:" + q.typ.name + "}"
	}
	return q.key + "={}"
}
