package router

import "unsafe"

// Param returns a copy of a parameter's value, decoded, safe to keep after the request. It
// is "" for a name that the route does not have.
func (c *Ctx) Param(name string) string {
	return string(c.named(name))
}

// ParamBytes returns the value, decoded, of the parameter in a slot (Route.Slot says
// which), or nil where the route has no such slot. The bytes are a view: they are
// valid until the handler returns, after which the next request on the connection overwrites
// them. They must not be changed.
func (c *Ctx) ParamBytes(slot int) []byte {
	if c.route == nil || uint(slot) >= uint(len(c.route.parsed.names)) {
		return nil
	}
	s := c.spans[slot]
	if slot < c.route.parsed.pathSlots {
		return c.path[s.start:s.end:s.end]
	}
	return c.values[s.start:s.end:s.end]
}

// ParamView is ParamBytes as a string, or "". It costs no copy, and it is a view as well: the text
// changes when the handler has returned. It is for a value that goes into the reply, or into a
// comparison, and is not kept.
func (c *Ctx) ParamView(slot int) string {
	v := c.ParamBytes(slot)
	return unsafe.String(unsafe.SliceData(v), len(v))
}

// Int returns a parameter as an int. It is 0 for a name that the route does not have and for
// a value that is no int, which cannot happen where the pattern says {name:int}.
func (c *Ctx) Int(name string) int {
	n, _ := parseInt(c.named(name))
	return n
}

// Uint returns a parameter as a uint, as Int does.
func (c *Ctx) Uint(name string) uint {
	n, _ := parseUint(c.named(name), ^uint(0))
	return n
}

// ObjectID returns a parameter's 12 bytes. They are zero for a name that the route does
// not have and for a value that is no ObjectID, which cannot happen where the pattern says
// {name:objectid}.
func (c *Ctx) ObjectID(name string) (id [12]byte) {
	if v := c.named(name); fitsObjectID(v) {
		hexBytes(id[:], v)
	}
	return id
}

// UUID returns a parameter's 16 bytes, as ObjectID does.
func (c *Ctx) UUID(name string) (id [16]byte) {
	if v := c.named(name); fitsUUID(v) {
		hexBytes(id[:], v)
	}
	return id
}

// named returns the view of a parameter by name.
func (c *Ctx) named(name string) []byte {
	if c.route == nil {
		return nil
	}
	return c.ParamBytes(c.route.Slot(name))
}

// hexBytes writes into dst what the hex digits of src mean; dashes between them are skipped.
func hexBytes(dst, src []byte) {
	n := 0
	for _, c := range src {
		if v, ok := unhex(c); ok {
			dst[n/2] = dst[n/2]<<4 | v
			n++
		}
	}
}
