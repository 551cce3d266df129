package storetest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Command is one command as it arrived. Its bytes are views into the
// connection's buffer: copy what outlives Handle.
type Command struct {
	Name      string     // first key of the body, as "insert"
	Body      bson.Raw   // the command document, without Documents
	Documents []bson.Raw // of a document sequence, or of the body's array "documents"
}

// Reply is what goes back.
type Reply struct {
	// Doc is the reply document; nil is {ok: 1}.
	Doc []byte

	// Hang cuts the connection after the first Cut bytes of the reply: 0 for an
	// answer that never comes, 20 for one that breaks off.
	Hang bool
	Cut  int
}

// OK is the reply {ok: 1}.
var OK = Reply{}

// HangUp is no reply: the command was read, and the connection closes.
var HangUp = Reply{Hang: true}

// The wire protocol's constants, from MongoDB's specification "Wire Protocol":
// message kinds, and the limits that hello announces. maxMessage is what we
// announce plus room for what goes around the documents.
const (
	opReply   = 1
	opQuery   = 2004
	opMessage = 2013

	headerSize      = 16
	checksumPresent = 1

	maxDocumentSize = 16 << 20
	maxMessageSize  = 48_000_000
	maxWriteBatch   = 100_000
	maxMessage      = maxMessageSize + 16<<10
	maxWireVersion  = 21 // MongoDB 7.0
)

var errMessage = errors.New("storetest: malformed message")

// header is that of a message, decoded.
type header struct {
	length, id int32
	op         int32
}

// readMessage reads one message into buf, growing it where it must, and returns
// what follows the header. The length comes from the peer: it is checked before
// anything is allocated.
func readMessage(r *bufio.Reader, buf []byte) (header, []byte, error) {
	var raw [headerSize]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return header{}, nil, err
	}
	h := header{
		length: int32(binary.LittleEndian.Uint32(raw[0:])),
		id:     int32(binary.LittleEndian.Uint32(raw[4:])),
		op:     int32(binary.LittleEndian.Uint32(raw[12:])),
	}
	n := int(h.length) - headerSize
	if n < 0 || n > maxMessage {
		return h, nil, errMessage
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err := io.ReadFull(r, buf)
	return h, buf, err
}

// parse finds the command in a message. Without whole it looks no further than
// the command's name.
func parse(h header, body []byte, cmd *Command, whole bool) (name []byte, err error) {
	switch h.op {
	case opQuery: // flags, namespace, skip, limit, document
		end := bytes.IndexByte(body[min(4, len(body)):], 0)
		if end < 0 || len(body) < 4+end+1+8 {
			return nil, errMessage
		}
		body = body[4+end+1+8:]
	case opMessage: // flags, sections, perhaps a checksum
		if len(body) < 5 {
			return nil, errMessage
		}
		if binary.LittleEndian.Uint32(body)&checksumPresent != 0 && len(body) >= 9 {
			body = body[:len(body)-4]
		}
		if whole {
			return parseSections(body[4:], cmd)
		}
		// The Go driver puts the command before its document sequence.
		if body[4] != 0 {
			return nil, errMessage
		}
		body = body[5:]
	default:
		return nil, errMessage
	}
	return commandName(body)
}

func parseSections(body []byte, cmd *Command) (name []byte, err error) {
	*cmd = Command{Documents: cmd.Documents[:0]}
	for len(body) > 0 {
		kind := body[0]
		section, rest, ok := cutSized(body[1:])
		if !ok {
			return nil, errMessage
		}
		body = rest
		switch kind {
		case 0:
			cmd.Body = section
		case 1: // length, identifier, documents
			end := bytes.IndexByte(section[4:], 0)
			if end < 0 {
				return nil, errMessage
			}
			for docs := section[4+end+1:]; len(docs) > 0; {
				doc, rest, ok := cutSized(docs)
				if !ok {
					return nil, errMessage
				}
				cmd.Documents = append(cmd.Documents, doc)
				docs = rest
			}
		default:
			return nil, errMessage
		}
	}
	if err := cmd.Body.Validate(); err != nil {
		return nil, errMessage
	}
	if name, err = commandName(cmd.Body); err != nil {
		return nil, err
	}
	cmd.Name = string(name)
	if array, ok := cmd.Body.Lookup("documents").ArrayOK(); ok {
		values, err := array.Values()
		if err != nil {
			return nil, errMessage
		}
		for _, v := range values {
			if doc, ok := v.DocumentOK(); ok {
				cmd.Documents = append(cmd.Documents, doc)
			}
		}
	}
	return name, nil
}

// cutSized cuts off what begins with its own length in four bytes, that length
// included: a document or a section.
func cutSized(b []byte) (head, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int(int32(binary.LittleEndian.Uint32(b)))
	if n < 5 || n > len(b) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

// commandName returns the key of the document's first element.
func commandName(doc []byte) ([]byte, error) {
	if len(doc) < 6 {
		return nil, errMessage
	}
	end := bytes.IndexByte(doc[5:], 0)
	if end < 0 {
		return nil, errMessage
	}
	return doc[5 : 5+end], nil
}

func isHello(name []byte) bool {
	return string(name) == "hello" || string(name) == "isMaster" || string(name) == "ismaster"
}

// okDocument is {ok: 1.0}.
var okDocument = []byte{17, 0, 0, 0, 1, 'o', 'k', 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0}

// appendReply appends the message that answers h, in the kind that h came in.
func appendReply(dst []byte, h header, doc []byte) []byte {
	if doc == nil {
		doc = okDocument
	}
	op, before := int32(opMessage), 5 // flags, kind of section
	if h.op == opQuery {
		op, before = opReply, 20 // flags, cursor, from, number
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(headerSize+before+len(doc)))
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.id))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(op))
	dst = append(dst, make([]byte, before)...)
	if h.op == opQuery {
		dst[len(dst)-4] = 1
	}
	return append(dst, doc...)
}

// hello describes the server to the driver.
func (s *Server) hello() []byte {
	d := bson.D{
		{Key: "helloOk", Value: true},
		{Key: "ismaster", Value: true},
		{Key: "isWritablePrimary", Value: true},
		{Key: "maxBsonObjectSize", Value: int32(maxDocumentSize)},
		{Key: "maxMessageSizeBytes", Value: int32(maxMessageSize)},
		{Key: "maxWriteBatchSize", Value: int32(maxWriteBatch)},
		{Key: "localTime", Value: time.Now()},
		{Key: "minWireVersion", Value: int32(0)},
		{Key: "maxWireVersion", Value: int32(maxWireVersion)},
		{Key: "readOnly", Value: false},
	}
	if s.cfg.ReplicaSet != "" {
		me := s.Addr()
		d = append(d,
			bson.E{Key: "setName", Value: s.cfg.ReplicaSet},
			bson.E{Key: "setVersion", Value: int32(1)},
			bson.E{Key: "hosts", Value: bson.A{me}},
			bson.E{Key: "me", Value: me},
			bson.E{Key: "primary", Value: me},
			bson.E{Key: "secondary", Value: false},
			bson.E{Key: "logicalSessionTimeoutMinutes", Value: int32(30)})
	}
	doc, err := bson.Marshal(append(d, bson.E{Key: "ok", Value: 1.0}))
	if err != nil {
		return okDocument
	}
	return doc
}
