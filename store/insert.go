package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/auth"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/xoptions"

	"github.com/rapidrest/rapidrest/batch"
)

// This file is how an insert command gets onto the wire, and the only one that
// knows there are two ways. The cheap one (link) hands the documents to the
// driver's own operation as a document sequence: each is copied once, into the
// message. It needs the driver's deployment, which a client shows to nobody but
// takes from whoever has one; so Open makes the deployment and gives it to the
// client, and both share its connections. Where the client is somebody else's
// (Use), the command goes through the public RunCommand (commander): the documents
// are copied into an array first.

// ErrTooLarge says that a batch fits into no single message.
var ErrTooLarge = errors.New("store: batch too large for one message")

// overhead is the room in a message for what goes around the documents: the
// command, its session, and a namespace of 255 bytes at most. batch.MaxBytes
// leaves the same.
const overhead = 16 << 10

// sender is one of the two ways.
type sender interface {
	send(ctx context.Context, c *Collection, docs [][]byte) failure
}

// insertHead is the beginning of the command's document, without its length.
func insertHead(collection string) []byte {
	head := bsoncore.AppendStringElement(nil, "insert", collection)
	return bsoncore.AppendBooleanElement(head, "ordered", false)
}

// link sends by driver.Operation.
type link struct {
	deployment *topology.Topology
	auth       driver.Authenticator // nil without credentials
	wc         *writeconcern.WriteConcern
	retries    *retries
	absence    absence
}

// connect makes a deployment as the URI has it, a client on top, and the link
// beside it. The client's Disconnect ends all three.
func connect(opts *options.ClientOptions) (*link, *mongo.Client, error) {
	l := &link{wc: opts.WriteConcern}
	var err error
	if opts.Auth != nil {
		l.auth, err = auth.CreateAuthenticator(opts.Auth.AuthMechanism, topology.ConvertCreds(opts.Auth), opts.HTTPClient)
		if err != nil {
			return nil, nil, fmt.Errorf("credentials: %w", err)
		}
	}
	cfg, err := topology.NewAuthenticatorConfig(l.auth, topology.WithAuthConfigClientOptions(opts))
	if err != nil {
		return nil, nil, err
	}
	if l.deployment, err = topology.New(cfg); err != nil {
		return nil, nil, err
	}
	if err := xoptions.SetInternalClientOptions(opts, "deployment", l.deployment); err != nil {
		return nil, nil, err
	}
	l.absence = newAbsence(opts, l.deployment)
	client, err := mongo.Connect(opts)
	if err != nil {
		return nil, nil, err
	}
	if l.retries, err = newRetries(opts, l.deployment); err != nil {
		client.Disconnect(context.Background())
		return nil, nil, err
	}
	return l, client, nil
}

// insertion is the state of one send; they are reused.
type insertion struct {
	head    []byte
	size    int
	docs    []bsoncore.Document
	batches driver.Batches
	built   bool // the message was made, so it may have been sent
}

var (
	insertions = sync.Pool{New: func() any { return new(insertion) }}
	unordered  = false
)

func (l *link) send(ctx context.Context, c *Collection, docs [][]byte) failure {
	if err := l.absence.check(ctx); err != nil {
		return failure{err: err}
	}
	in := insertions.Get().(*insertion)
	defer in.release()
	in.head = c.head
	for _, d := range docs {
		in.docs = append(in.docs, d)
		in.size += len(d)
	}
	in.batches = driver.Batches{Identifier: "documents", Documents: in.docs, Ordered: &unordered}
	op := driver.Operation{
		Name:          "insert",
		CommandFn:     in.command,
		Database:      c.s.db.Name(),
		Deployment:    l.deployment,
		Batches:       &in.batches,
		WriteConcern:  l.wc,
		Authenticator: l.auth,
	}
	defer l.retries.arm(&op)()
	return driverFailure(op.Execute(ctx), in.built)
}

// command appends the command's elements. It is called once the connection is
// there, right before the message is written, which makes it the place to refuse
// what this server would have us split, and the border between a failure before
// anything was sent and one after.
func (in *insertion) command(dst []byte, desc description.SelectedServer) ([]byte, error) {
	room := min(int(desc.MaxMessageSize)-overhead, batch.MaxBytes)
	if len(in.docs) > int(desc.MaxBatchCount) || in.size > room {
		return nil, fmt.Errorf("%w: %d documents, %d bytes; this server takes %d and %d",
			ErrTooLarge, len(in.docs), in.size, desc.MaxBatchCount, room)
	}
	in.built = true
	return append(dst, in.head...), nil
}

// release lets go of the documents, which belong to the buffer again, and keeps
// the slice that held them.
func (in *insertion) release() {
	clear(in.docs)
	*in = insertion{docs: in.docs[:0]}
	insertions.Put(in)
}

// commander sends by Database.RunCommand.
type commander struct {
	db   *mongo.Database
	tail []byte // the write concern's element, if there is one
}

func newCommander(db *mongo.Database, wc *writeconcern.WriteConcern) (*commander, error) {
	c := &commander{db: db}
	if wc == nil {
		return c, nil
	}
	t, data, err := driver.MarshalBSONWriteConcern(wc, 0)
	if errors.Is(err, driver.ErrEmptyWriteConcern) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.tail = bsoncore.AppendValueElement(nil, "writeConcern", bsoncore.Value{Type: bsoncore.Type(t), Data: data})
	return c, nil
}

func (s *commander) send(ctx context.Context, c *Collection, docs [][]byte) failure {
	cmd, err := appendCommand(nil, c.head, s.tail, docs)
	if err != nil {
		return failure{err: err}
	}
	_, err = s.db.RunCommand(ctx, bson.Raw(cmd)).Raw()
	return clientFailure(err)
}

// appendCommand appends the whole command, documents included. Keys of a BSON
// array are its indexes as text.
func appendCommand(dst, head, tail []byte, docs [][]byte) ([]byte, error) {
	size := len(head) + len(tail)
	for i, d := range docs {
		size += len(d) + len(strconv.Itoa(i)) + 2
	}
	if len(docs) > batch.MaxSize || size > batch.MaxBytes {
		return nil, fmt.Errorf("%w: %d documents, %d bytes", ErrTooLarge, len(docs), size)
	}
	if dst == nil {
		dst = make([]byte, 0, size+64)
	}
	start, dst := bsoncore.AppendDocumentStart(dst)
	dst = append(append(dst, head...), tail...)
	array, dst := bsoncore.AppendArrayElementStart(dst, "documents")
	for i, d := range docs {
		dst = bsoncore.AppendDocumentElement(dst, strconv.Itoa(i), d)
	}
	dst, err := bsoncore.AppendArrayEnd(dst, array)
	if err != nil {
		return nil, err
	}
	return bsoncore.AppendDocumentEnd(dst, start)
}
