// Package faultproxy stands between a client and a server and breaks their
// connections on demand: a TCP proxy that delays, cuts, halves, freezes and
// refuses.
//
//	proxy, err := faultproxy.Listen("127.0.0.1:0", databaseAddr)
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer proxy.Close()
//	// … the client connects to proxy.Addr() …
//	proxy.Set(faultproxy.Fault{Kind: faultproxy.CutReply}) // stored, and nobody will know
//	proxy.Set(faultproxy.Fault{})                          // whole again
//
// A fault holds until the next Set, for the connections that are open and for those
// that come:
//
//	None         bytes go through
//	Delay        every piece of a reply waits first, for Fault.Delay
//	CutRequest   the next piece of a request does not go through; the connection is cut
//	HalfRequest  half of it goes through; cut
//	CutReply     the request goes through, the reply does not; cut
//	HalfReply    half of a piece of the reply goes through; cut
//	Freeze       nothing moves and nothing is closed
//	Refuse       what is open is cut, what comes is cut at once
//
// A piece is what one read from a socket brings, which for a small message is the
// whole message. The proxy knows no protocol.
package faultproxy
