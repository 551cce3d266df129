package storetest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"

	"github.com/rapidrest/rapidrest/store/storetest"
)

func listen(t testing.TB, cfg storetest.Config) *storetest.Server {
	t.Helper()
	s, err := storetest.Listen("127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func connect(t testing.TB, s *storetest.Server) *mongo.Collection {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(s.URI()).SetRetryWrites(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Disconnect(context.Background()) })
	return c.Database("d").Collection("c")
}

func TestTheDriverInsertsAsStandaloneAndAsReplicaSet(t *testing.T) {
	for _, set := range []string{"", "rs"} {
		s := listen(t, storetest.Config{ReplicaSet: set})
		if _, err := connect(t, s).InsertMany(t.Context(), []any{bson.D{}, bson.D{}}); err != nil {
			t.Errorf("set %q: %v", set, err)
		}
		if s.Messages() == 0 {
			t.Errorf("set %q: no message counted", set)
		}
	}
}

func TestHandleSeesDocumentsOfASequenceAndOfAnArray(t *testing.T) {
	var seen []string
	s := listen(t, storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
		if c.Name == "insert" {
			seen = append(seen, fmt.Sprint(c.Documents))
		}
		return storetest.OK
	}})
	coll := connect(t, s)
	docs := []any{bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "_id", Value: 2}}}
	if _, err := coll.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	cmd := bson.D{{Key: "insert", Value: "c"}, {Key: "documents", Value: bson.A(docs)}}
	if err := coll.Database().RunCommand(t.Context(), cmd).Err(); err != nil {
		t.Fatal(err)
	}
	const want = `[{"_id": {"$numberInt":"1"}} {"_id": {"$numberInt":"2"}}]`
	if fmt.Sprint(seen) != fmt.Sprint([]string{want, want}) {
		t.Errorf("saw %v, want twice %v", seen, want)
	}
}

func TestRepliesThatBreakOffAreNetworkErrors(t *testing.T) {
	for _, cut := range []int{0, 1, 16, 20} {
		s := listen(t, storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
			return storetest.Reply{Hang: c.Name == "insert", Cut: cut}
		}})
		_, err := connect(t, s).InsertOne(t.Context(), bson.D{})
		var network driver.Error
		if !errors.As(err, &network) || !network.NetworkError() {
			t.Errorf("cut after %d bytes: %v, want a network error", cut, err)
		}
	}
}

func TestHangUpCutsConnectionsAndKeepsListening(t *testing.T) {
	s := listen(t, storetest.Config{})
	coll := connect(t, s)
	if err := coll.Database().Client().Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.HangUp()
	for err := error(io.EOF); err != nil; { // until the driver has seen it
		err = coll.Database().Client().Ping(t.Context(), nil)
	}
}

func TestCloseEndsConnectionsAndWait(t *testing.T) {
	s := listen(t, storetest.Config{})
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open after Close")
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// message frames a body.
func message(op int32, body []byte) []byte {
	m := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
	m = append(m, 7, 0, 0, 0, 0, 0, 0, 0)
	return append(binary.LittleEndian.AppendUint32(m, uint32(op)), body...)
}

// FuzzServe sends anything: the server answers or hangs up, and serves the next
// connection in either case.
func FuzzServe(f *testing.F) {
	ping, err := bson.Marshal(bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "d"}})
	if err != nil {
		f.Fatal(err)
	}
	sequence := append([]byte{0, 0, 0, 0, 0}, ping...)
	sequence = append(sequence, 1, 20, 0, 0, 0, 'd', 'o', 'c', 's', 0, 5, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0)
	f.Add(message(2013, append([]byte{0, 0, 0, 0, 0}, ping...)))
	f.Add(message(2013, sequence))
	f.Add(message(2004, append([]byte("\x00\x00\x00\x00d.$cmd\x00\x00\x00\x00\x00\xff\xff\xff\xff"), ping...)))
	f.Add(message(2013, nil))
	f.Add(message(1, ping))
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0})
	servers := []*storetest.Server{
		listen(f, storetest.Config{}),
		listen(f, storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
			for _, d := range c.Documents {
				_ = bytes.Clone(d)
			}
			return storetest.OK
		}}),
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, s := range servers {
			talk(t, s, in)
			if out := talk(t, s, message(2013, append([]byte{0, 0, 0, 0, 0}, ping...))); len(out) != 16+5+17 {
				t.Fatalf("after %q a ping was answered %q", in, out)
			}
		}
	})
}

// talk sends in, says that no more comes, and returns all that is answered.
func talk(t *testing.T, s *storetest.Server, in []byte) []byte {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(in); err == nil {
		c.(*net.TCPConn).CloseWrite()
	}
	out, _ := io.ReadAll(c)
	return out
}

func Example() {
	server, err := storetest.Listen("127.0.0.1:0", storetest.Config{
		Handle: func(c *storetest.Command) storetest.Reply {
			if c.Name == "insert" {
				fmt.Println(c.Documents)
			}
			return storetest.OK
		},
	})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		panic(err)
	}
	defer client.Disconnect(context.Background())
	client.Database("survey").Collection("answers").InsertOne(context.Background(), bson.D{{Key: "_id", Value: "a"}, {Key: "yes", Value: true}})
	// Output: [{"_id": "a","yes": true}]
}
