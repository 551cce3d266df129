package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
)

// nullAnswer is what the scenario routes answer at the least.
var nullAnswer = []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

// ServeNull answers every blank line that ends a line, which is once per request as long as no
// body holds one, and looks at nothing else. What the client reaches against it is the
// client's ceiling, and nothing that parses can be faster. It returns when ctx ends.
func ServeNull(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed) && ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("bench: %w", err)
		}
		go answerBlankLines(ctx, conn)
	}
}

func answerBlankLines(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	const blank = "\r\n\r\n"
	in, kept := make([]byte, 64<<10), 0 // the first kept bytes are the end of the read before
	var out []byte
	for {
		n, err := conn.Read(in[kept:])
		if err != nil {
			return
		}
		seen := in[:kept+n]
		out = out[:0]
		for {
			i := bytes.Index(seen, []byte(blank))
			if i < 0 {
				break
			}
			seen = seen[i+len(blank):]
			out = append(out, nullAnswer...)
		}
		kept = copy(in, seen[max(0, len(seen)-len(blank)+1):])
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}
