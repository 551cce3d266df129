package resource

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/rapidrest/rapidrest/router"
)

// reply writes the answer to a bulk:
//
//	{"stored":2,"ids":["65…",null,"65…"],"errors":[{"index":1,"status":409,"detail":"…"}]}
//
// "accepted" stands in the place of "stored" where nobody waited for the store. ids has the
// _id of every document that was taken, in the order of the body, and null for the others.
// The status is 201 or 202 where all went the same good way, that of the errors where all
// went the same bad way, and 207 where it differs.
func (b *bulk) reply() error {
	taken, status, same := 0, 0, true
	for i := range b.items {
		it := &b.items[i]
		if it.status == 0 {
			it.status = http.StatusAccepted
		}
		if it.status < 300 {
			taken++
		}
		same = same && (i == 0 || it.status == status)
		status = it.status
	}
	// What was stored within the wait and what is still on its way are both taken.
	if !same && taken == len(b.items) {
		status, same = http.StatusAccepted, true
	}
	if !same {
		status = http.StatusMultiStatus
	}
	if same && status >= 300 {
		return b.refuse(status)
	}
	b.apply(status)
	b.c.SetStatusCode(status)
	if b.prefs.returned == returnMinimal && status != http.StatusMultiStatus {
		return nil
	}
	out, err := b.appendReply(b.s.reply[:0], taken)
	b.s.reply = out
	if err != nil {
		return err
	}
	b.c.Response.Header.SetContentType(contentJSON)
	b.c.Response.SetBody(out)
	return nil
}

// refuse is the answer where every document met the same error: a problem with the list.
func (b *bulk) refuse(status int) error {
	if status == http.StatusServiceUnavailable {
		b.c.Response.Header.Set("Retry-After", retryAfter)
	}
	p := router.NewProblem(status, "resource: none of the documents was stored: "+b.items[0].detail)
	return p.With("errors", json.RawMessage(b.appendErrors(nil)))
}

func (b *bulk) appendReply(out []byte, taken int) ([]byte, error) {
	word := `{"accepted":`
	if b.waits() {
		word = `{"stored":`
	}
	out = strconv.AppendInt(append(out, word...), int64(taken), 10)
	out = append(out, `,"ids":[`...)
	var err error
	for i := range b.items {
		if i > 0 {
			out = append(out, ',')
		}
		it := &b.items[i]
		if it.status >= 300 {
			out = append(out, "null"...)
			continue
		}
		if out, err = it.id.AppendJSON(out); err != nil {
			return out, err
		}
	}
	out = append(out, ']')
	if taken < len(b.items) {
		out = b.appendErrors(append(out, `,"errors":`...))
	}
	return append(out, '}'), nil
}

// appendErrors writes the list of what went wrong, with the place in the body where that is
// what the error is about.
func (b *bulk) appendErrors(out []byte) []byte {
	out = append(out, '[')
	first := true
	for i := range b.items {
		it := &b.items[i]
		if it.status < 300 {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = strconv.AppendInt(append(out, `{"index":`...), int64(i), 10)
		out = strconv.AppendInt(append(out, `,"status":`...), int64(it.status), 10)
		out = appendText(append(out, `,"detail":`...), it.detail)
		if e := it.at; e != nil {
			out = strconv.AppendInt(append(out, `,"offset":`...), int64(e.Offset), 10)
			out = strconv.AppendInt(append(out, `,"line":`...), int64(e.Line), 10)
			out = strconv.AppendInt(append(out, `,"column":`...), int64(e.Column), 10)
			out = appendText(append(out, `,"pointer":`...), e.Pointer)
		}
		if it.status == http.StatusGatewayTimeout {
			// The document is still on its way: its _id lets the client look for it.
			if with, err := it.id.AppendJSON(append(out, `,"_id":`...)); err == nil {
				out = with
			}
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// appendText appends s as a JSON string.
func appendText(out []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return append(out, `""`...)
	}
	return append(out, b...)
}
