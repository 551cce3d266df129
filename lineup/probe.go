package main

// Mode says what the handlers of a table do.
type Mode int

const (
	Count Mode = iota // count the hit
	Read              // count the hit and read every parameter, the cheapest way the router has
	Check             // note the route and the parameters, to be compared with what is right
)

// Probe is what the handlers of one table leave behind.
type Probe struct {
	Hits   uint64
	Bytes  uint64
	Route  string
	Params map[string]string
}

// String takes note of a parameter's value: its length and its first byte, so that it has to be
// there.
func (p *Probe) String(v string) { p.Bytes += uint64(len(v)) + uint64(v[0]) }

// View is String for a parameter that is a slice of bytes.
func (p *Probe) View(v []byte) { p.Bytes += uint64(len(v)) + uint64(v[0]) }

// note is what every handler does in mode Check: each router hands in its own way of reading a
// parameter by its name.
func (p *Probe) note(rt Route, param func(name string) string) {
	p.Hits++
	p.Route = rt.Path
	p.Params = map[string]string{}
	for _, name := range rt.Params() {
		p.Params[name] = param(name)
	}
}
