package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// Above is a whole answer, made twice: by a bare fasthttp handler that does the least there is to
// do for it by hand, and by a route, a Ctx and a JSON reply. What the second costs above the first
// is what an app pays for the router. Both read the path in place: the bare handler cuts it, ours takes
// views of its parameters. The reply is one of json-iterator's, with all that it checks and escapes.
type Above struct {
	Name string
	Path string
	Bare fasthttp.RequestHandler
	Ours func(*router.Table)
}

// stamp is the time that both sides answer: a fixed one, so that the clock is not part of what is
// compared.
const stamp int64 = 1764500173123

type timestampReply struct {
	Timestamp int64 `json:"timestamp"`
}

type surveyReply struct {
	Survey string `json:"survey"`
	User   string `json:"user"`
}

var aboves = []Above{
	{"GET /timestamp", "/timestamp", bareTimestamp, func(t *router.Table) {
		t.Get("/timestamp", router.JSON(func(*router.Ctx, struct{}) (timestampReply, error) { return timestampReply{stamp}, nil }))
	}},
	{"GET /survey/{a}/{b}", "/survey/customer/anna", bareSurvey, func(t *router.Table) {
		t.Get("/survey/{a}/{b}", router.JSON(func(c *router.Ctx, _ struct{}) (surveyReply, error) {
			return surveyReply{c.ParamView(0), c.ParamView(1)}, nil
		}))
	}},
}

var jsonType = []byte("application/json")

func bareTimestamp(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.SetContentTypeBytes(jsonType)
	var room [64]byte
	body := append(room[:0], `{"timestamp":`...)
	body = strconv.AppendInt(body, stamp, 10)
	ctx.Response.SetBody(append(body, '}'))
}

// bareSurvey cuts two parameters out of the path and quotes them. It does not look for bytes that
// JSON has to escape: by hand, one would not either.
func bareSurvey(ctx *fasthttp.RequestCtx) {
	path := ctx.Path()[len("/survey/"):]
	slash := bytes.IndexByte(path, '/')
	ctx.Response.Header.SetContentTypeBytes(jsonType)
	var room [128]byte
	body := append(room[:0], `{"survey":"`...)
	body = append(body, path[:slash]...)
	body = append(body, `","user":"`...)
	body = append(body, path[slash+1:]...)
	ctx.Response.SetBody(append(body, `"}`...))
}

// muxes builds the two sides, bare first.
func (a Above) muxes() ([]Mux, error) {
	table := router.New()
	a.Ours(table)
	matcher, err := table.Compile()
	if err != nil {
		return nil, fmt.Errorf("lineup: %s: %w", a.Name, err)
	}
	return []Mux{{Fast: a.Bare}, {Fast: matcher.Serve}}, nil
}

// requests are those of one pass: enough of them that reading the clock does not count.
func (a Above) requests() []Request {
	return slices.Repeat([]Request{{Method: "GET", Path: a.Path, Status: 200}}, 64)
}

// verify compares the two answers byte for byte, but for the date.
func (a Above) verify() error {
	muxes, err := a.muxes()
	if err != nil {
		return err
	}
	var answers []string
	for _, mux := range muxes {
		ctx := fastRequest(Request{Method: "GET", Path: a.Path})
		mux.Fast(ctx)
		answers = append(answers, fmt.Sprintf("%d %s %s", ctx.Response.StatusCode(), ctx.Response.Header.ContentType(), ctx.Response.Body()))
	}
	if answers[0] != answers[1] {
		return fmt.Errorf("lineup: %s: bare answers %q, ours %q", a.Name, answers[0], answers[1])
	}
	return nil
}

func reportAbove(w io.Writer, plan Plan) error {
	fmt.Fprintf(w, "\nabove: a whole answer against a bare fasthttp handler, in process\n")
	fmt.Fprintf(w, "%-23s%18s%18s%24s\n", "ns per request / allocs", "bare", "rapidrest", "above")
	for _, a := range aboves {
		if err := a.verify(); err != nil {
			return err
		}
		muxes, err := a.muxes()
		if err != nil {
			return err
		}
		var runners []*runner
		reqs := a.requests()
		for _, mux := range muxes {
			runners = append(runners, newRunner(mux.Answers(reqs), len(reqs), plan.Sample))
		}
		race(runners, plan.Rounds)
		bare, ours := runners[0].figure(), runners[1].figure()
		n := float64(len(reqs))
		fmt.Fprintf(w, "%-23s%18s%18s%24s\n", a.Name,
			fmt.Sprintf("%.1f / %.0f", bare.Nanos, bare.Allocs/n), fmt.Sprintf("%.1f / %.0f", ours.Nanos, ours.Allocs/n),
			fmt.Sprintf("%.1f ns, %.0f allocs", ours.Nanos-bare.Nanos, (ours.Allocs-bare.Allocs)/n))
	}
	return nil
}
