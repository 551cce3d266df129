package resource

import (
	"context"
	"net/http"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/router"
)

// delete answers DELETE: 204 where the document is gone by it, 404 where there was none.
func (m *mount) delete(c *router.Ctx) error {
	t, cond, err := m.opening(c)
	if err != nil {
		return err
	}
	if !cond.any() {
		return m.remove(c, t)
	}
	return m.change(c, t, func(ctx context.Context, doc bson.Raw) error {
		switch {
		case !cond.hold(doc):
			return preconditionFailed(c, doc)
		case doc == nil:
			return notFound(t)
		}
		filter, err := m.unchangedFilter(t.id, doc)
		if err != nil {
			return err
		}
		r, err := m.coll(t.collection).DeleteOne(ctx, filter)
		if err == nil && r.DeletedCount == 0 {
			err = errChanged
		}
		if err != nil {
			return err
		}
		return c.NoContent()
	})
}

// remove is a DELETE without conditions.
func (m *mount) remove(c *router.Ctx, t target) error {
	ctx, cancel := context.WithTimeout(context.Background(), m.Timeout)
	defer cancel()
	defer m.changes.lock(t)()
	r, err := m.coll(t.collection).DeleteOne(ctx, idFilter(t.id))
	switch {
	case err != nil:
		return m.storeProblem(c, err, http.StatusUnprocessableEntity)
	case r.DeletedCount == 0:
		return notFound(t)
	}
	return c.NoContent()
}
