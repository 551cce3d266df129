//go:build race

package document_test

// Under the race detector sync.Pool drops what it is given at random, so allocations say nothing.
const raceEnabled = true
