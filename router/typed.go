package router

import "reflect"

// JSON makes a handler of a function from one type to another: the body is read into an
// In, and the Out that comes back is written as JSON. The types are looked at once, here. An In that is
// struct{} takes no body, and an Out that is struct{} answers 204. Otherwise the status is 200, or what the
// function has set with Ctx.Status.
func JSON[In, Out any](fn func(*Ctx, In) (Out, error)) Handler {
	takes, gives := !isEmpty[In](), !isEmpty[Out]()
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
		if !gives {
			return c.NoContent()
		}
		return c.JSON(c.Response.StatusCode(), &out)
	}
}

// isEmpty reports whether T is a struct without fields.
func isEmpty[T any]() bool {
	t := reflect.TypeFor[T]()
	return t.Kind() == reflect.Struct && t.NumField() == 0
}
