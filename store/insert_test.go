package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/store"
	"github.com/rapidrest/rapidrest/store/storetest"
)

func TestInsertIsOneMessageWithTheDocumentsAsTheyAre(t *testing.T) {
	for way, open := range ways {
		t.Run(way, func(t *testing.T) {
			var (
				arrived [][]byte
				command bson.Raw
			)
			server := listen(t, "", func(c *storetest.Command) storetest.Reply {
				for _, d := range c.Documents {
					arrived = append(arrived, bytes.Clone(d))
				}
				command = bson.Raw(bytes.Clone(c.Body))
				return storetest.OK
			})
			c := open(t, server.URI()).Collection("answers")
			var docs [][]byte
			for i := range 250 {
				docs = append(docs, doc(t, "_id", bson.NewObjectID(), "n", int32(i), "text", strings.Repeat("x", i)))
			}
			before := server.Messages()
			outcomes, err := c.Insert(t.Context(), docs)
			if err != nil {
				t.Fatal(err)
			}
			if n := server.Messages() - before; n != 1 {
				t.Errorf("%d messages, want 1", n)
			}
			if !reflect.DeepEqual(arrived, docs) {
				t.Error("the documents that arrived are not those that were sent")
			}
			want := slicesOf(len(docs), batch.Outcome{Kind: batch.Stored})
			if !reflect.DeepEqual(outcomes, want) {
				t.Errorf("outcomes %v, want all stored", outcomes)
			}
			if got := command.Lookup("insert").StringValue(); got != "answers" {
				t.Errorf("insert: %q, want answers", got)
			}
			if command.Lookup("ordered").Boolean() {
				t.Error("ordered: true, want false")
			}
			if got := command.Lookup("$db").StringValue(); got != "db" {
				t.Errorf("$db: %q, want db", got)
			}
		})
	}
}

func slicesOf[T any](n int, v T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func TestInsertOfNothingSendsNothing(t *testing.T) {
	server := listen(t, "", nil)
	c := open(t, server.URI()).Collection("c")
	before := server.Messages()
	outcomes, err := c.Insert(t.Context(), nil)
	if err != nil || len(outcomes) != 0 || server.Messages() != before {
		t.Errorf("%v, %v, %d messages; want nothing", outcomes, err, server.Messages()-before)
	}
}

func TestTheWriteConcernOfTheURIIsSent(t *testing.T) {
	var sent bson.Raw
	server := listen(t, "", func(c *storetest.Command) storetest.Reply {
		sent = bson.Raw(bytes.Clone(c.Body))
		return storetest.OK
	})
	c := open(t, server.URI()+"?w=majority&journal=true").Collection("c")
	if _, err := c.Insert(t.Context(), [][]byte{doc(t, "_id", 1)}); err != nil {
		t.Fatal(err)
	}
	if got, want := sent.Lookup("writeConcern").String(), `{"w": "majority","j": true}`; got != want {
		t.Errorf("writeConcern %s, want %s", got, want)
	}
}

// A document over 16 MiB in the middle of a batch: mongo-driver sends what stands
// before it, and no more, and gives a nil result.
func TestLesson34_ADocumentOver16MiBIsRejectedAloneAndNotSent(t *testing.T) {
	for way, open := range ways {
		t.Run(way, func(t *testing.T) {
			var got []string
			server := listen(t, "", func(c *storetest.Command) storetest.Reply {
				for _, d := range c.Documents {
					got = append(got, d.Lookup("_id").StringValue())
				}
				return reply(t, "ok", 1.0, "n", 1, "writeErrors", bson.A{
					bson.D{{Key: "index", Value: 1}, {Key: "code", Value: 121}, {Key: "errmsg", Value: "failed validation"}},
				})
			})
			c := open(t, server.URI()).Collection("c")
			outcomes, err := c.Insert(t.Context(), [][]byte{
				doc(t, "_id", "a"),
				fat("b", batch.MaxDocument+1),
				doc(t, "_id", "c"),
				fat("d", 3*batch.MaxDocument),
			})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got) != "[a c]" {
				t.Errorf("sent %v, want [a c]", got)
			}
			for i, want := range []batch.Outcome{
				{Kind: batch.Stored},
				{Kind: batch.Rejected, Code: 10334},
				{Kind: batch.Rejected, Code: 121}, // index 1 of what was sent
				{Kind: batch.Rejected, Code: 10334},
			} {
				if o := outcomes[i]; o.Kind != want.Kind || o.Code != want.Code {
					t.Errorf("document %d: %+v, want %+v", i, o, want)
				}
			}
		})
	}
}

func TestABatchThatNoMessageHoldsIsRefusedAndNotSent(t *testing.T) {
	large := fat("large", 15<<20)
	small := doc(t, "_id", 1)
	for name, docs := range map[string][][]byte{
		"over 48 MB":             {large, large, large, large},
		"over 100,000 documents": slicesOf(batch.MaxSize+1, small),
	} {
		for way, open := range ways {
			server := listen(t, "", func(*storetest.Command) storetest.Reply { return storetest.OK })
			c := open(t, server.URI()).Collection("c")
			before := server.Messages()
			_, err := c.Insert(t.Context(), docs)
			var fault *batch.Fault
			if !errors.As(err, &fault) || fault.Kind != batch.Refused || !errors.Is(err, store.ErrTooLarge) {
				t.Errorf("%s, %s: got %v, want Refused and ErrTooLarge", name, way, err)
			}
			if n := server.Messages() - before; n != 0 {
				t.Errorf("%s, %s: %d messages, want none", name, way, n)
			}
		}
	}
}

// The largest batch that the buffer makes does go out, in one message.
func TestTheLargestBatchIsOneMessage(t *testing.T) {
	server := listen(t, "", func(*storetest.Command) storetest.Reply { return storetest.OK })
	c := open(t, server.URI()).Collection("c")
	const docs = 4
	before := server.Messages()
	if _, err := c.Insert(t.Context(), slicesOf(docs, fat("quarter", batch.MaxBytes/docs))); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Insert(t.Context(), slicesOf(batch.MaxSize, doc(t, "_id", 1))); err != nil {
		t.Fatal(err)
	}
	if n := server.Messages() - before; n != 2 {
		t.Errorf("%d messages for two batches", n)
	}
}

// After a cut nothing is known, whatever the driver's result says.
func TestLesson35_ACutIsAmbiguousAndNothingIsSentAgain(t *testing.T) {
	for name, cut := range map[string]storetest.Reply{
		"before the reply":   storetest.HangUp,
		"within the header":  {Hang: true, Cut: 7},
		"within the reply":   {Hang: true, Cut: 30},
		"reply is no BSON":   {Doc: []byte{9, 0, 0, 0, 1, 'o', 'k', 0, 0}},
		"index out of range": reply(t, "ok", 1.0, "writeErrors", bson.A{bson.D{{Key: "index", Value: 2}, {Key: "code", Value: 121}}}),
	} {
		for way, open := range ways {
			server := listen(t, "", func(*storetest.Command) storetest.Reply { return cut })
			c := open(t, server.URI()).Collection("c")
			before := server.Messages()
			_, err := c.Insert(t.Context(), [][]byte{doc(t, "_id", 1), doc(t, "_id", 2)})
			var fault *batch.Fault
			if !errors.As(err, &fault) || fault.Kind != batch.Ambiguous {
				t.Errorf("%s, %s: got %v, want a Fault of kind Ambiguous", name, way, err)
			}
			if n := server.Messages() - before; n != 1 {
				t.Errorf("%s, %s: %d messages, want 1", name, way, n)
			}
		}
	}
}

func TestNoServerIsUnsent(t *testing.T) {
	for way, open := range ways {
		server := listen(t, "", nil)
		c := open(t, server.URI()).Collection("c")
		server.Close()
		// The first attempt may still find the cut connection in the pool.
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			_, err := c.Insert(ctx, [][]byte{doc(t, "_id", 1)})
			cancel()
			var fault *batch.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("%s: got %v, want a Fault", way, err)
			}
			if fault.Kind == batch.Unsent {
				break
			}
		}
	}
}

// That nobody listens is known without waiting for the driver, which would wait for somebody to
// come: here for an hour.
func TestAHostThatRefusesIsKnownAtOnce(t *testing.T) {
	server := listen(t, "", func(*storetest.Command) storetest.Reply { return storetest.OK })
	addr := server.Addr()
	c := open(t, server.URI()+"?serverSelectionTimeoutMS=3600000").Collection("c")
	one := [][]byte{doc(t, "_id", 1)}
	if _, err := c.Insert(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	server.Close()
	for { // the first attempts may find the connection that was cut
		_, err := c.Insert(t.Context(), one)
		var fault *batch.Fault
		if !errors.As(err, &fault) {
			t.Fatalf("got %v, want a Fault", err)
		}
		if fault.Kind == batch.Unsent {
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("the cause is %v", err)
			}
			break
		}
	}
	back, err := storetest.Listen(addr, storetest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	if _, err := c.Insert(t.Context(), one); err != nil {
		t.Errorf("somebody listens again: %v", err)
	}
}

// With a deadline in the context the driver retries until it has passed. It must
// not see one: one attempt is one message, and it ends in time all the same.
func TestLesson38_ADeadlineIsOneAttempt(t *testing.T) {
	for way, open := range ways {
		t.Run(way+"/silent server", func(t *testing.T) {
			silence := make(chan struct{})
			server := listen(t, "", func(*storetest.Command) storetest.Reply {
				<-silence
				return storetest.HangUp
			})
			defer close(silence)
			c := open(t, server.URI()).Collection("c")
			before := server.Messages()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := c.Insert(ctx, [][]byte{doc(t, "_id", 1)})
			var fault *batch.Fault
			if !errors.As(err, &fault) || fault.Kind != batch.Ambiguous || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want Ambiguous and DeadlineExceeded", err)
			}
			if n := server.Messages() - before; n != 1 {
				t.Errorf("%d messages, want 1", n)
			}
		})
		t.Run(way+"/server that hangs up", func(t *testing.T) {
			server := listen(t, "", func(*storetest.Command) storetest.Reply { return storetest.HangUp })
			c := open(t, server.URI()).Collection("c")
			before := server.Messages()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			if _, err := c.Insert(ctx, [][]byte{doc(t, "_id", 1)}); err == nil {
				t.Error("no error")
			}
			if n := server.Messages() - before; n != 1 {
				t.Errorf("%d messages, want 1", n)
			}
		})
	}
}

// On a replica set a retryable write goes out at most twice, under one transaction
// number, however far the deadline; retryWrites=false turns it off.
func TestRetryableWritesComeFromTheURI(t *testing.T) {
	for name, test := range map[string]struct {
		option string
		want   int
	}{
		"default": {"", 2},
		"off":     {"&retryWrites=false", 1},
	} {
		var numbers []string
		server := listen(t, "rs", func(c *storetest.Command) storetest.Reply {
			numbers = append(numbers, c.Body.Lookup("lsid").String()+c.Body.Lookup("txnNumber").String())
			return storetest.HangUp
		})
		c := open(t, server.URI()+test.option).Collection("c")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		_, err := c.Insert(ctx, [][]byte{doc(t, "_id", 1)})
		cancel()
		var fault *batch.Fault
		if !errors.As(err, &fault) || fault.Kind != batch.Ambiguous {
			t.Errorf("%s: got %v, want Ambiguous", name, err)
		}
		if len(numbers) != test.want {
			t.Errorf("%s: %d messages, want %d", name, len(numbers), test.want)
		}
		if test.want == 2 && (numbers[0] == "" || numbers[0] != numbers[1]) {
			t.Errorf("%s: sessions and transaction numbers %q, want the same", name, numbers)
		}
	}
}

func TestCancellationEndsTheAttempt(t *testing.T) {
	silence := make(chan struct{})
	defer close(silence)
	ctx, cancel := context.WithCancel(t.Context())
	server := listen(t, "", func(*storetest.Command) storetest.Reply {
		cancel()
		<-silence
		return storetest.HangUp
	})
	_, err := open(t, server.URI()).Collection("c").Insert(ctx, [][]byte{doc(t, "_id", 1)})
	var fault *batch.Fault
	if !errors.As(err, &fault) || fault.Kind != batch.Ambiguous || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Ambiguous and Canceled", err)
	}
}
