package bench

import (
	"context"
	"net"
	"testing"

	"github.com/rapidrest/rapidrest/client"
)

// The null responder answers every request of a pipeline once, however the bytes are cut.
func TestNullResponderAnswersEveryRequest(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ServeNull(ctx, l) }()
	for _, method := range []string{"GET", "POST"} {
		result, err := client.Run(ctx, client.Config{URL: "http://" + l.Addr().String(), Method: method, Requests: 5000, Connections: 3, Pipeline: 400})
		if err != nil {
			t.Fatal(err)
		}
		if err := result.Err(); err != nil || result.Answered != 5000 {
			t.Errorf("%s: %d answers, %v", method, result.Answered, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
