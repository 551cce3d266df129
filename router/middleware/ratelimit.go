package middleware

import (
	"hash/maphash"
	"net"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// RateLimitConfig says how much one client may ask for. The zero value is ten requests a second,
// bursts of twenty, told apart by address.
type RateLimitConfig struct {
	// Rate is what a client may do for ever, in requests per second, one a day at least. Default
	// 10.
	Rate float64
	// Burst is what a client who was quiet may do at once, in requests. Default: twice the rate, at
	// least 1.
	Burst int
	// Clients is how many clients are remembered, 65,536 by default and 16,777,216 at most, at 40
	// bytes and a map entry each. When more turn up, the one that was quiet the longest is
	// forgotten, and would start with a full bucket.
	Clients int
	// Key returns what tells clients apart; the bytes are looked at at once and not kept. Default:
	// the IPv4 address, or the first 64 bits of an IPv6 address, which are one customer's. Behind a
	// proxy all requests come from one address: return the header there that the proxy, and nobody
	// else, sets.
	Key func(c *router.Ctx) []byte
}

// RateLimit gives every client a bucket of tokens. A request takes one; Rate tokens a second flow
// back until there are Burst. A request that finds none is refused: 429, with Retry-After in whole
// seconds.
//
// The table is bounded (Clients), so that no number of clients takes more memory. Routes that are
// given the same Middleware share the buckets; a second call of RateLimit makes buckets of its own.
func RateLimit(cfg RateLimitConfig) router.Middleware {
	if !(cfg.Rate > 0) { // NaN as well
		cfg.Rate = 10
	}
	if cfg.Burst <= 0 {
		cfg.Burst = max(1, int(2*min(cfg.Rate, 1e9)))
	}
	if cfg.Clients <= 0 {
		cfg.Clients = 1 << 16
	}
	table := newBuckets(cfg.Rate, cfg.Burst, cfg.Clients)
	seed := maphash.MakeSeed() // nobody outside can find two clients of one hash
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			if wait := table.take(clientOf(c, cfg.Key, seed), time.Now()); wait > 0 {
				c.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.FormatInt(wholeSeconds(wait), 10))
				return router.NewProblem(fasthttp.StatusTooManyRequests, "this client has sent more requests than it may")
			}
			return next(c)
		}
	}
}

// clientOf is the hash that stands for the client in the table.
func clientOf(c *router.Ctx, key func(*router.Ctx) []byte, seed maphash.Seed) uint64 {
	if key != nil {
		return maphash.Bytes(seed, key(c))
	}
	var room [net.IPv6len]byte
	return maphash.Bytes(seed, appendAddress(room[:0], c.RemoteAddr()))
}

// wholeSeconds rounds up: a client that comes back when it was told to finds a token.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// appendAddress appends the address of a connection's other end, as far as it names one customer. A
// Unix socket has none: all that comes over it is one client.
func appendAddress(dst []byte, addr net.Addr) []byte {
	peer, ok := addr.(*net.TCPAddr)
	if !ok {
		return dst
	}
	if ip := peer.IP.To4(); ip != nil {
		return append(dst, ip...)
	}
	return append(dst, peer.IP[:min(len(peer.IP), 8)]...)
}
