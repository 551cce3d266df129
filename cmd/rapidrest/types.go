package main

import (
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"

	"github.com/rapidrest/rapidrest/batch"
)

// address is a host:port to listen on. The port may be 0: the system picks one.
type address string

func (a *address) UnmarshalText(text []byte) error {
	host, port, err := net.SplitHostPort(string(text))
	if err != nil {
		return fmt.Errorf("%q is no host:port", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q: the port must be 0 to 65535", text)
	}
	*a = address(net.JoinHostPort(host, port))
	return nil
}

// loopback says whether only this machine can reach the address.
func (a address) loopback() bool {
	host, _, err := net.SplitHostPort(string(a))
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// optionalAddress is an address, or nothing.
type optionalAddress string

func (a *optionalAddress) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*a = ""
		return nil
	}
	return (*address)(a).UnmarshalText(text)
}

// size is a number of bytes, written plain or with KiB, MiB or GiB.
type size int

func (s *size) UnmarshalText(text []byte) error {
	digits, unit := string(text), 1
	for suffix, n := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if d, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = strings.TrimSpace(d), n
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt/int64(unit) {
		return fmt.Errorf("%q is no size: write bytes from 1, as 4096, 64KiB or 16MiB", text)
	}
	*s = size(n * int64(unit))
	return nil
}

// count is a whole number from 1.
type count int

func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number from 1 to %d", text, math.MaxInt32)
	}
	*c = count(n)
	return nil
}

// batchSize is a number of documents in a batch, or batch.Auto.
type batchSize int

func (b *batchSize) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*b = batch.Auto
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || n < 1 || n > batch.MaxSize {
		return fmt.Errorf("%q is neither auto nor a number from 1 to %d", text, batch.MaxSize)
	}
	*b = batchSize(n)
	return nil
}
