// Package client is a load generator for HTTP/1.1: it sends requests that were laid out
// beforehand, over connections that are kept open, reads every answer, and says what became
// of each request.
//
//	package main
//
//	import (
//		"context"
//		"log"
//		"os"
//
//		"github.com/rapidrest/rapidrest/client"
//	)
//
//	func main() {
//		result, err := client.Run(context.Background(), client.Config{
//			URL:      "http://127.0.0.1:8080/survey/customer/{user}",
//			Requests: 30000,
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//		result.WriteText(os.Stdout)
//		if err := result.Err(); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # What becomes of a request
//
//	what happens                                counted as
//	an answer, read to its end                  Status[code]
//	no whole answer within Timeout              Errors[Timeout], as are those behind it
//	the connection breaks                       Errors[Reset]
//	the server closes it before an answer       Errors[Closed]
//	  or says Connection: close, and there
//	  were requests behind the one answered
//	the server closes it within an answer       Errors[Short]; those behind it Closed
//	what comes is no HTTP/1.1                   Errors[Parse], as are those behind it
//	the context ends                            Errors[Canceled]
//	no connection could be had                  Unsent; the attempts are Errors[Dial]
//
// A lost connection is dialed again, and a request is never sent twice: it may have been
// carried out. With a server that closes each connection behind its first answer, a Pipeline
// of 1 loses nothing and one of 8 loses seven of eight.
//
// # Closed loop and open loop
//
// Without Rate, each connection sends the next request when an answer has come: the load gives
// way to a slow server, and what is measured is how fast it can be. With Rate, requests are due
// at fixed times, and their latency counts from then. A server that stands still for a second
// then shows that second in every request that was due in it, whether it could be sent or not;
// measured from when they were sent, all but a few would look fast (coordinated omission).
//
// # What it costs
//
// A request is copied from its template into the connection's buffer, with {user} and {n}
// filled; nothing is allocated per request. A connection takes 32 KiB to read and up to 64 KiB
// (or one request, if that is larger) to write, and a histogram of 190 kB, 24 kB beyond 128
// connections.
package client
