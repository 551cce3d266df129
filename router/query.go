package router

import "bytes"

// accept returns the first route of the leaf's path whose query keys are there, with their
// values in the slots, or nil.
func (l *leaf) accept(c *Ctx) *leaf {
	if l == nil || l.direct {
		return l
	}
	return l.acceptQuery(c)
}

func (l *leaf) acceptQuery(c *Ctx) *leaf {
	if l.methods != 0 {
		c.allow |= l.methods
		return nil
	}
	c.used = true
	for ; l != nil; l = l.next {
		if len(l.query) == 0 || c.bindQuery(l, nil) {
			return l
		}
		if c.missing == nil {
			c.missing = l
		}
	}
	return nil
}

// bindQuery puts the values of the leaf's query keys into their slots, and reports whether
// all are there that must be. A key that is there twice has its first value. failed, unless nil, is told of the keys that are not satisfied.
func (c *Ctx) bindQuery(l *leaf, failed func(key string)) bool {
	ok := true
	c.values = c.values[:0]
	for i := range l.query {
		q := &l.query[i]
		from := len(c.values)
		found, sound := c.queryValue(q.key)
		empty := len(c.values) == from
		switch {
		case sound && found && !empty && (q.typ == nil || q.typ.fits(c.values[from:])):
		case sound && !q.required && (!found || empty):
			c.values = append(c.values[:from], q.fallback...)
		default:
			ok = false
			if failed != nil {
				failed(q.key)
			}
		}
		c.spans[l.route.parsed.pathSlots+i] = span{uint32(from), uint32(len(c.values))}
	}
	return ok
}

// queryValue appends the decoded value of the first pair with a key to c.values. sound is false
// where the value has a bad escape.
func (c *Ctx) queryValue(key string) (found, sound bool) {
	for q := c.query; len(q) > 0; {
		var pair []byte
		if i := bytes.IndexByte(q, '&'); i >= 0 {
			pair, q = q[:i], q[i+1:]
		} else {
			pair, q = q, nil
		}
		name, value, _ := bytes.Cut(pair, []byte("="))
		if !isKey(name, key) {
			continue
		}
		c.values, sound = appendUnescaped(c.values, value, true)
		return true, sound
	}
	return false, true
}

// isKey reports whether a query's name, which may be escaped, is key.
func isKey(name []byte, key string) bool {
	if bytes.IndexByte(name, '%') < 0 && bytes.IndexByte(name, '+') < 0 {
		return string(name) == key
	}
	decoded, ok := appendUnescaped(make([]byte, 0, 64), name, true)
	return ok && string(decoded) == key
}

// missingKeys returns the keys for which the most specific route was passed over.
func (c *Ctx) missingKeys() []string {
	var keys []string
	c.bindQuery(c.missing, func(key string) { keys = append(keys, key) })
	return keys
}
