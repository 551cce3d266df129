package router

// foldedSlash stands for a slash that was escaped, while the decoded path is searched:
// it is part of its segment, and separates nothing. A path that holds a NUL is refused before,
// so a NUL is free to be used.
const foldedSlash = 0

// decode decodes the path into c's own buffer, and reports whether its escapes are sound.
func (c *Ctx) decode() bool {
	decoded, ok := appendUnescaped(c.decoded[:0], c.path, false)
	c.raw, c.path, c.decoded, c.escaped = c.path, decoded, decoded, true
	return ok
}

// fold marks the slashes of the decoded path that were escaped.
func (c *Ctx) fold() {
	at := 0
	for i := 0; i < len(c.raw); i++ {
		if c.raw[i] == '%' {
			if c.path[at] == '/' {
				c.path[at] = foldedSlash
			}
			i += 2
		}
		at++
	}
}

// unfold makes the marked slashes slashes again.
func (c *Ctx) unfold() {
	for i, b := range c.path {
		if b == foldedSlash {
			c.path[i] = '/'
		}
	}
}

// appendUnescaped appends src to dst with its percent-escapes decoded, in a query with + as a
// space. It reports false for a % that two hex digits don't follow.
func appendUnescaped(dst, src []byte, query bool) ([]byte, bool) {
	for i := 0; i < len(src); i++ {
		b := src[i]
		switch {
		case b == '%':
			if i+2 >= len(src) {
				return dst, false
			}
			high, ok1 := unhex(src[i+1])
			low, ok2 := unhex(src[i+2])
			if !ok1 || !ok2 {
				return dst, false
			}
			b = high<<4 | low
			i += 2
		case b == '+' && query:
			b = ' '
		}
		dst = append(dst, b)
	}
	return dst, true
}
