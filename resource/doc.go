// Package resource serves the collections of a MongoDB database as JSON over HTTP. What
// arrives by POST goes through a write buffer and is answered when it is as safe as the
// server, or the client, wants it to be; all else goes to the database straight away.
//
//	st, err := store.Open(ctx, store.Config{URI: uri, Database: "app"})
//	…
//	buffers := batch.NewSet(func(name string) (batch.Sink, batch.Config, error) {
//		return st.Collection(name), batch.Config{}, nil
//	}, batch.Limits{})
//	table := router.New()
//	err = resource.Mount(table, "/collections/{collection}", resource.Config{
//		Store:   st,
//		Buffers: buffers,
//		Allow:   resource.AllowOnly("answers", "events_*"),
//	})
//	…
//	matcher, err := table.Compile()
//	…
//	err = router.NewServer(matcher, router.Limits{}).ListenAndServe("127.0.0.1:8080")
//
// # Requests
//
//	POST   /collections/answers        one object, an array of objects, or one object a line (NDJSON)
//	GET    /collections/answers        many documents, as a JSON array
//	GET    /collections/answers/{id}   one document, with an ETag; HEAD likewise
//	PUT    /collections/answers/{id}   replaces the document, or makes it
//	PATCH  /collections/answers/{id}   JSON Merge Patch (RFC 7396)
//	DELETE /collections/answers/{id}
//
// An {id} of 24 hexadecimal digits is an ObjectID, any other a string; ?id_type=int, string,
// uuid or objectid says otherwise, and Location carries it where it is needed. An _id that no
// path can carry (a double, a document, "", ".", a NUL) has no Location.
//
// A {collection} is 1 to 120 bytes of letters and digits of any script, "_", "-" and ".". It
// does not begin with ".", "-" or "system.", nor end with "."; ValidCollection checks that.
//
// # Answers
//
//	201  stored; Location and {"_id":…}
//	202  kept at level accept or spool, which Preference-Applied names; {"_id":…}
//	204  PUT, PATCH and DELETE; ETag has the new tag
//	207  a bulk whose documents fared differently: "errors" has index, status and detail
//	304  If-None-Match names what is stored
//	400  no JSON (with offset, line, column, pointer), an empty bulk, a query not understood, a name no collection has
//	403  a collection that is not allowed
//	404  no such document
//	406  Accept excludes application/json
//	409  _id, or a value of another unique index, exists
//	412  If-Match or If-None-Match failed; 428 where Config.RequireIfMatch wants one
//	413  a document over 16 MiB, too many documents, too large a body once inflated
//	415  a Content-Type that is not JSON or NDJSON, an encoding not gzip, deflate, br or zstd
//	422  JSON that MongoDB or this store cannot hold, what Config.Validate refuses, a rejection
//	503  the buffer is full or the store down; Retry-After
//	504  the wait is over; the document is still on its way, and its _id is in the body; or
//	     a query took longer than Config.Timeout (of a change it is not known whether it was made)
//
// Errors are application/problem+json (RFC 9457).
//
// # When a POST is answered
//
// Config.Level decides, and the client with Prefer (RFC 7240):
//
//	Prefer: respond-async          202, without waiting for the store
//	Prefer: wait=5                 201 when stored; 504 after five seconds
//	Prefer: respond-async, wait=5  201 when stored within five seconds, else 202
//	Prefer: level=accept           one of accept, spool (where there is one) and store, by name
//	Prefer: return=minimal         no body; return=representation: the document
//
// # Sending again
//
// With an Idempotency-Key, the _id comes of the collection, the key and, in a bulk, the
// number of the document. The same request sent again makes the same _id, and stores nothing
// twice; it is answered as before. Another body under a key is 422, in a bulk for each
// document that differs. Where nobody waits for the store, that is found out from what this
// process has taken lately and from what the store holds. A document that brings its own _id
// keeps it: sent again it is found to be the same, or it is a 409.
//
// # Bulk
//
// An array is read whole before any of it is taken: where it is no JSON, nothing is stored.
// In NDJSON a line that is no JSON is that line's error. In both, a document that cannot be
// held is its own error and the others are stored. A bulk is admitted whole or not at all.
//
//	{"stored":2,"ids":["65…",null,"65…"],"errors":[{"index":1,"status":409,"detail":"…"}]}
//
// Below level store, "accepted" stands in the place of "stored". Where all documents met
// the same error, that is the status, and the list stands in the problem.
//
// # Many documents
//
//	field=value       equal; a[gt]=, a[gte]=, a[lt]=, a[lte]=, a[ne]=, a[eq]= compare
//	a[in]=1,2         one of these; or a JSON array. a[nin]= is its opposite
//	a[exists]=true    the field is there, or with false is not
//	sort=-age,name    descending by age, then by name, then by _id
//	fields=name,age   these fields, and _id and those of the sort; -name leaves out instead
//	limit=20          1 to 1,000; 100 by default
//	after=…           the next page, from the Link of the one before
//	count=true        X-Total-Count has the number of all that fit
//
// All conditions must hold. A value that is JSON is that value (5, "5", true, null, {"a":1}),
// all else is a string; for _id, 24 hexadecimal digits are an ObjectID. A field with a name of
// ours is reached by an operator: limit[eq]=5. Fields in documents are written a.b. A
// comparison finds values of the same kind only, as MongoDB has it. There is no way to send
// MongoDB an operator by name, a regular expression, or code.
//
// A page starts after the last document of the one before, by the values of the sort, so
// that documents which come or go meanwhile move nothing. Where these cannot be compared
// with (arrays, objects, very long strings) it starts so many documents after the last place
// that could be. Pages sorted by a field that holds arrays in some documents may repeat one.
// A page may be shorter than the limit (Config.MaxPage); only the lack of a Link says that it
// is the last.
//
// # Changes
//
// PUT, PATCH and DELETE take If-Match and If-None-Match, and are atomic with respect to each
// other, on MongoDB also across servers. A conditional change sends the document as it was to
// the store, so that both forms together must stay below 16 MiB. PATCH without conditions
// is tried again when another change comes in between.
package resource
