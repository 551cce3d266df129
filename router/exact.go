package router

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// exact knows the types that json-iterator treats as encoding/json does. The others are left to
// encoding/json itself, which is slower:
//
//   - json.Number: json-iterator takes any string for one and writes it as it is, so that a client could
//     write members into an answer
//   - json.RawMessage, and what marshals or unmarshals itself: what it makes is not looked at
//   - the options "string" and "omitzero" of a field
//   - a type that holds itself: a value that does so too would overflow the stack, which ends the process
//   - an interface, since all of these may be in it
type exact struct{ known sync.Map } // reflect.Type to bool

// holds reports whether json-iterator does for t. A nil t is that of a nil value.
func (e *exact) holds(t reflect.Type) bool {
	if t == nil {
		return true
	}
	if known, ok := e.known.Load(t); ok {
		return known.(bool)
	}
	fit := isExact(t, nil)
	e.known.Store(t, fit)
	return fit
}

var (
	numberType = reflect.TypeFor[json.Number]()
	ownWays    = []reflect.Type{
		reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler](),
		reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
	}
)

// isExact looks through t, within the types that it is part of.
func isExact(t reflect.Type, within []reflect.Type) bool {
	if t == numberType || slices.Contains(within, t) {
		return false
	}
	for _, own := range ownWays {
		if t.Implements(own) || reflect.PointerTo(t).Implements(own) {
			return false
		}
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Interface:
		return false
	case reflect.Map:
		return isExact(t.Key(), within) && isExact(t.Elem(), within)
	case reflect.Array, reflect.Pointer, reflect.Slice:
		return isExact(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if slices.ContainsFunc(strings.Split(options, ","), func(o string) bool { return o == "string" || o == "omitzero" }) || !isExact(f.Type, within) {
				return false
			}
		}
	}
	return true
}
