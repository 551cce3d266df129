package bench

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"

	"github.com/rapidrest/rapidrest/client"
)

// sameRound is the round of the requests that only show whether all subjects answer alike.
const sameRound = warmUpRound - 1

// What differs from answer to answer: ids, random titles, the time.
var varying = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{24}|[0-9]{13}`)

// same sends every subject one request of the scenario, and holds the status, the media type and
// the bytes of the answer against the first one's. Work that differs is not compared.
func (b *bench) same(ctx context.Context, s *Scenario) error {
	want := ""
	for i, sub := range b.order(s, 0) {
		got, err := b.ask(ctx, s, sub)
		if err != nil {
			return fmt.Errorf("bench: %s on %s: %w", s.Name, sub.name, err)
		}
		if i == 0 {
			want = got
		}
		if got != want {
			return fmt.Errorf("bench: %s: %s answers %q, and %s %q", s.Name, b.lab.subjects[0].name, want, sub.name, got)
		}
	}
	return nil
}

func (b *bench) ask(ctx context.Context, s *Scenario, sub *subject) (string, error) {
	run := &Run{Scenario: s.Name, Subject: sub.name, Round: sameRound, Requests: 1}
	collection := s.collection(run)
	if s.Seeded {
		if err := b.lab.seed(ctx, collection); err != nil {
			return "", err
		}
	}
	body := ""
	if s.Method != http.MethodGet {
		body = string(client.SurveyAnswers()[0])
	}
	url := sub.url + strings.Replace(s.path(run), "{user}", "ann", 1)
	req, err := http.NewRequestWithContext(ctx, s.Method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return "", err
	}
	media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return "", fmt.Errorf("content type %q: %w", res.Header.Get("Content-Type"), err)
	}
	if s.Stores {
		if err := b.lab.settle(ctx, collection, 1); err != nil {
			return "", err
		}
	}
	if s.database() {
		if err := b.lab.verify(ctx, collection, 1, true); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d %s %s", res.StatusCode, media, varying.ReplaceAllString(string(text), "…")), nil
}
