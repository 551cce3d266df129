package baseline

import (
	jsoniter "github.com/json-iterator/go"
	"github.com/valyala/fasthttp"
)

// problem answers with application/problem+json (RFC 9457).
func problem(ctx *fasthttp.RequestCtx, status int, detail string) {
	body, err := jsoniter.ConfigFastest.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail,omitempty"`
	}{"about:blank", fasthttp.StatusMessage(status), status, detail})
	if err != nil {
		status, body = fasthttp.StatusInternalServerError, nil
	}
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/problem+json")
	ctx.SetBody(body)
}
