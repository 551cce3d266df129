// Package router compiles a route table into an immutable matcher for fasthttp.
package router
