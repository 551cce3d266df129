package router

import (
	"reflect"
	"sync"
)

// JSON makes a handler of a function from one type to another: the body is read into an
// In, and the Out that comes back is written as JSON, without an allocation of its own. The types are looked
// at once, here. An In that is struct{} takes no body, and an Out that is struct{} answers 204. Otherwise
// the status is 200, or what the function has set with Ctx.Status.
func JSON[In, Out any](fn func(*Ctx, In) (Out, error)) Handler {
	takes, write := !isEmpty[In](), writer[Out]()
	return func(c *Ctx) error {
		var in In
		if takes {
			if err := c.Bind(&in); err != nil {
				return err
			}
		}
		out, err := fn(c, in)
		if err != nil {
			return err
		}
		return write(c, out)
	}
}

// writer returns the function that answers with a T.
//
// To put a value into an interface, as a Codec wants it, allocates. So the value goes into a slice of one
// that is in an interface already, and the brackets are taken off what the codec makes of it.
func writer[T any]() func(*Ctx, T) error {
	switch {
	case isEmpty[T]():
		return func(c *Ctx, _ T) error { return c.NoContent() }
	case reflect.TypeFor[T]().Kind() == reflect.Uint8:
		// A slice of bytes is no array in JSON.
		return func(c *Ctx, v T) error { return c.JSON(c.Response.StatusCode(), v) }
	}
	type box struct {
		one   []T
		boxed any // one
	}
	boxes := sync.Pool{New: func() any {
		one := make([]T, 1)
		return &box{one, one}
	}}
	return func(c *Ctx, v T) error {
		b := boxes.Get().(*box)
		b.one[0] = v
		out, err := c.encode(b.boxed)
		clear(b.one)
		boxes.Put(b)
		if err == nil {
			c.replyJSON(c.Response.StatusCode(), out[1:len(out)-1])
		}
		return err
	}
}

// isEmpty reports whether T is a struct without fields.
func isEmpty[T any]() bool {
	t := reflect.TypeFor[T]()
	return t.Kind() == reflect.Struct && t.NumField() == 0
}
