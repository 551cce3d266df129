// Package storetest is a MongoDB server that stores nothing: a listener that
// speaks enough of the wire protocol for the Go driver to connect, and answers
// every command with {ok: 1}, or with what the test says.
//
// It stands where a test or a benchmark needs the other end of the wire in its
// hand: to see which bytes arrive, to answer with an error that a real server
// gives once a year, to hang up in the middle of a reply, or to cost nothing, so
// that what is left to measure is the client.
//
// A whole program, which prints the documents that reach it and stores none:
//
//	package main
//
//	import (
//		"fmt"
//		"log"
//
//		"github.com/rapidrest/rapidrest/store/storetest"
//	)
//
//	func main() {
//		server, err := storetest.Listen("127.0.0.1:27017", storetest.Config{
//			Handle: func(c *storetest.Command) storetest.Reply {
//				for _, doc := range c.Documents {
//					fmt.Println(doc)
//				}
//				return storetest.OK
//			},
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//		log.Fatal(server.Wait())
//	}
//
// What it answers:
//
//	hello, isMaster      itself: a standalone, or with Config.ReplicaSet the
//	                     primary of a set of one; never asks Handle
//	any other command    what Handle returns; {ok: 1} without a Handle
//	a malformed message  nothing; the connection is closed
//
// Every connection is served by a goroutine of its own, one command after the
// other, as a real server does.
package storetest
