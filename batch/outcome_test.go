package batch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// asked is a store that has everything already, without having said so, and is asked about it.
type asked struct {
	*fake
	questions [][]int // the ids of each
	answer    func(ctx context.Context, ids []int) ([]bool, error)
}

func newAsked() *asked {
	return &asked{fake: &fake{before: func(n int, ids []int) (int, error) {
		if n == 1 {
			return len(ids), errHangup
		}
		return 0, nil
	}}}
}

func (a *asked) Holds(ctx context.Context, docs [][]byte) ([]bool, error) {
	ids := make([]int, len(docs))
	for i, d := range docs {
		ids[i] = idOf(d)
	}
	a.questions = append(a.questions, ids)
	return a.answer(ctx, ids)
}

// addChosen adds n documents with _ids of the client's as one batch, and returns their outcomes.
func addChosen(t *testing.T, b *Buffer, n int) []Outcome {
	t.Helper()
	docs := make([][]byte, n)
	for i := range docs {
		docs[i] = doc(i)
	}
	tickets, err := b.AddAll(docs, Entry{Chosen: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make([]Outcome, n)
	for i, ticket := range tickets {
		outcomes[i] = outcome(t, ticket)
	}
	return outcomes
}

func TestOneQuestionSettlesTheDuplicatesOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsked()
		a.answer = func(_ context.Context, ids []int) ([]bool, error) {
			held := make([]bool, len(ids))
			for i, id := range ids {
				held[i] = id%2 == 0
			}
			return held, nil
		}
		for i, o := range addChosen(t, open(t, a, Config{}), 10) {
			if want := []Kind{Stored, Rejected}[i%2]; o.Kind != want {
				t.Errorf("document %d: %v, want %v", i, o, want)
			}
		}
		if len(a.questions) != 1 || len(a.questions[0]) != 10 {
			t.Errorf("questions %v, want one about ten documents", a.questions)
		}
	})
}

// What was answered is not asked again, and no answer is no outcome.
func TestQuestionsGoOnWhereTheAnswersEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsked()
		a.answer = func(_ context.Context, ids []int) ([]bool, error) {
			switch len(a.questions) {
			case 1:
				return []bool{true, true, true, false}, errors.New("gone")
			case 2:
				panic("gone")
			case 3:
				return []bool{true}, nil // too few
			}
			held := make([]bool, len(ids))
			for i := range held {
				held[i] = true
			}
			return held, nil
		}
		for i, o := range addChosen(t, open(t, a, Config{}), 10) {
			want := Stored
			if i == 3 {
				want = Rejected
			}
			if o.Kind != want {
				t.Errorf("document %d: %v, want %v", i, o, want)
			}
		}
		var sizes []int
		for _, ids := range a.questions {
			sizes = append(sizes, len(ids))
		}
		if want := []int{10, 6, 6, 5}; !slices.Equal(sizes, want) {
			t.Errorf("questions about %v documents, want %v", sizes, want)
		}
	})
}

// A store that needs longer than an attempt to look through a large collection would, stopped and
// asked anew each time, never answer.
func TestAQuestionThatTakesLongGetsTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsked()
		a.answer = func(ctx context.Context, ids []int) ([]bool, error) {
			select {
			case <-time.After(5 * time.Second):
				return make([]bool, len(ids)), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		begun := time.Now()
		outcomes := addChosen(t, open(t, a, Config{AttemptTimeout: time.Second}), 1)
		if outcomes[0].Kind != Rejected || len(a.questions) != 4 { // of 1, 2, 4 and 8 s
			t.Errorf("%v after %d questions", outcomes[0], len(a.questions))
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
