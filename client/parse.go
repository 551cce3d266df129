package client

import (
	"bytes"
	"errors"
	"fmt"
)

// maxHead bounds the status line, header and trailer lines of one answer, in bytes. The read
// buffer of a connection has this size, so a line always fits into it.
const maxHead = 32 << 10

var errHead = fmt.Errorf("client: an answer's head, or a line of it, is over %d bytes", maxHead)

// A parser reads the answers of one connection, in whatever pieces they come. It keeps no bytes:
// feed looks only at the buffer it is given.
type parser struct {
	state   parseState
	status  int   // of the answer under way
	left    int64 // bytes of the body or the chunk still to come
	length  int64 // Content-Length, -1 without one
	head    int   // bytes of head seen
	chunked bool  // the last transfer coding is chunked
	coded   bool  // there is a Transfer-Encoding
	close   bool  // the server closes the connection behind this answer
}

type parseState uint8

const (
	atStatus parseState = iota
	inHeader
	inBody
	atChunk // before a chunk's size
	inChunk
	afterChunk // before the line break that ends a chunk
	inTrailer
	untilClose // a body that ends with the connection
)

// idle reports whether the parser stands between two answers.
func (p *parser) idle() bool { return p.state == atStatus && p.head == 0 }

// feed consumes the n first bytes of b. done says that they end an answer, whose status and
// close may then be read; otherwise more bytes are needed. bodiless says that the answer is to a
// HEAD. After an error the connection is of no more use.
func (p *parser) feed(b []byte, bodiless bool) (n int, done bool, err error) {
	for {
		switch p.state {
		case inBody, inChunk:
			step := min(p.left, int64(len(b)-n))
			n += int(step)
			if p.left -= step; p.left > 0 {
				return n, false, nil
			}
			if p.state == inBody {
				p.state = atStatus
				return n, true, nil
			}
			p.state = afterChunk
		case untilClose:
			return len(b), false, nil
		default:
			end := bytes.IndexByte(b[n:], '\n')
			if end < 0 {
				if len(b)-n >= maxHead {
					return n, false, errHead
				}
				return n, false, nil
			}
			line := b[n : n+end]
			n += end + 1
			if end > 0 && line[end-1] == '\r' {
				line = line[:end-1]
			}
			done, err := p.line(line, bodiless)
			if done || err != nil {
				return n, done, err
			}
		}
	}
}

// line takes one line of the head or of the chunk framing. An answer without a body, and a
// chunked one, end with a line.
func (p *parser) line(line []byte, bodiless bool) (done bool, err error) {
	if p.head += len(line) + 2; p.head > maxHead {
		return false, errHead
	}
	switch p.state {
	case atStatus:
		return false, p.statusLine(line)
	case inHeader:
		if len(line) > 0 {
			return false, p.headerLine(line)
		}
		return p.endOfHead(bodiless)
	case atChunk:
		p.head = 0 // a long body of many chunks is no long head
		if p.left, err = chunkSize(line); err != nil {
			return false, err
		}
		p.state = inChunk
		if p.left == 0 {
			p.state = inTrailer
		}
	case afterChunk:
		if len(line) > 0 {
			return false, fmt.Errorf("client: %q where a chunk ends", clip(line))
		}
		p.state = atChunk
	case inTrailer:
		if len(line) == 0 {
			p.head, p.state = 0, atStatus
			return true, nil
		}
	}
	return false, nil
}

// statusLine reads "HTTP/1.1 200 OK"; the reason may be missing (RFC 9112, section 4).
func (p *parser) statusLine(line []byte) error {
	ok := len(line) >= 12 && string(line[:7]) == "HTTP/1." && isDigit(line[7]) && line[8] == ' ' &&
		'1' <= line[9] && line[9] <= '9' && isDigit(line[10]) && isDigit(line[11]) &&
		(len(line) == 12 || line[12] == ' ')
	if !ok {
		return fmt.Errorf("client: %q is no status line", clip(line))
	}
	*p = parser{
		state:  inHeader,
		head:   p.head,
		status: int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0'),
		length: -1,
		close:  line[7] == '0',
	}
	return nil
}

func (p *parser) headerLine(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || line[0] == ' ' || line[0] == '\t' {
		return fmt.Errorf("client: %q is no header line", clip(line))
	}
	// Three names matter; their lengths tell most others apart without comparing.
	name := line[:colon]
	switch len(name) {
	case len("Connection"):
		if bytes.EqualFold(name, []byte("Connection")) {
			p.connection(line[colon+1:])
		}
	case len("Content-Length"):
		if bytes.EqualFold(name, []byte("Content-Length")) {
			return p.contentLength(bytes.TrimSpace(line[colon+1:]))
		}
	case len("Transfer-Encoding"):
		if bytes.EqualFold(name, []byte("Transfer-Encoding")) {
			value := line[colon+1:]
			last := bytes.TrimSpace(value[bytes.LastIndexByte(value, ',')+1:])
			p.coded, p.chunked = true, bytes.EqualFold(last, []byte("chunked"))
		}
	}
	return nil
}

func (p *parser) connection(value []byte) {
	for option := range bytes.SplitSeq(value, []byte(",")) {
		option = bytes.TrimSpace(option)
		switch {
		case bytes.EqualFold(option, []byte("close")):
			p.close = true
		case bytes.EqualFold(option, []byte("keep-alive")):
			p.close = false
		}
	}
}

func (p *parser) contentLength(value []byte) error {
	length := int64(0)
	for _, c := range value {
		if !isDigit(c) || length > 1<<59 {
			length = -1
			break
		}
		length = length*10 + int64(c-'0')
	}
	if len(value) == 0 || length < 0 || p.length >= 0 && p.length != length {
		return fmt.Errorf("client: Content-Length %q", clip(value))
	}
	p.length = length
	return nil
}

// endOfHead decides how the body ends, in the order of RFC 9112, section 6.3.
func (p *parser) endOfHead(bodiless bool) (done bool, err error) {
	p.head = 0
	switch {
	case p.status == 101:
		return false, errors.New("client: the server switched protocols unasked")
	case p.status < 200: // an interim answer: the real one follows
		p.state = atStatus
		return false, nil
	case bodiless || p.status == 204 || p.status == 304:
		p.state = atStatus
		return true, nil
	case p.chunked:
		p.state = atChunk
		p.close = p.close || p.length >= 0 // both framings: not to be trusted with another answer
	case p.length == 0 && !p.coded:
		p.state = atStatus
		return true, nil
	case p.length > 0 && !p.coded:
		p.state, p.left = inBody, p.length
	default:
		p.state, p.close = untilClose, true
	}
	return false, nil
}

func chunkSize(line []byte) (int64, error) {
	size, digits := int64(0), 0
	for _, c := range line {
		d := hexDigit(c)
		if d < 0 {
			if c != ';' && c != ' ' && c != '\t' {
				digits = 0
			}
			break
		}
		if digits++; digits > 15 {
			return 0, fmt.Errorf("client: chunk size %q", clip(line))
		}
		size = size<<4 | int64(d)
	}
	if digits == 0 {
		return 0, fmt.Errorf("client: chunk size %q", clip(line))
	}
	return size, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// clip keeps what an error quotes short.
func clip(b []byte) []byte { return b[:min(len(b), 80)] }
