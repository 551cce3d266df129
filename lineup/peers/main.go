package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A peer serves w's work on a listener until stop ends; then it takes no more requests, and returns
// when the last is answered.
type peer func(stop context.Context, ln net.Listener, w *work) error

var peers = map[string]peer{
	"fasthttp": fasthttpRouter, "fiber": serveFiber, "gin": serveGin, "echo": serveEcho, "net-http": netHTTP, "chi": serveChi,
}

func main() {
	stop, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	if err := run(stop, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// drainTimeout bounds storing what the batches hold at the end.
const drainTimeout = 30 * time.Second

func run(stop context.Context, args []string) (err error) {
	names := strings.Join(slices.Sorted(maps.Keys(peers)), ", ")
	if len(args) == 0 || peers[args[0]] == nil {
		return fmt.Errorf("name one of %s", names)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:8080", "address to listen on")
	uri := flags.String("mongo-uri", "mongodb://127.0.0.1:27017", "the database")
	database := flags.String("database", "rapidrest", "name of the database")
	size := flags.Int("batch-size", 100, "documents in a full batch")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	client, err := mongo.Connect(options.Client().ApplyURI(*uri))
	if err != nil {
		return err
	}
	defer client.Disconnect(context.Background())
	ln, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", ln.Addr())
	w := newWork(client.Database(*database), *size)
	err = peers[args[0]](stop, ln, w)
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	return errors.Join(err, w.close(drain))
}
