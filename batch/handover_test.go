package batch

import "sync"

// lockedList collects documents behind a lock and throws every hundred away.
type lockedList struct {
	mu   sync.Mutex
	buf  []byte
	docs [][]byte
	_    [64]byte // so that two of them share no cache line
}

func (l *lockedList) add(doc []byte, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := len(l.buf)
	l.buf = append(l.buf, doc...)
	l.docs = append(l.docs, l.buf[from:])
	if len(l.docs) == size {
		l.buf, l.docs = l.buf[:0], l.docs[:0]
	}
}
