// Package scenario is what `rapidrest framework` serves: the routes of package baseline, written
// with router, document, batch and store as an app would write them. The two are compared, so they
// answer the same bytes and store the same documents; cmd/rapidrest tests that route by route.
//
//	s, err := scenario.New(scenario.Config{Store: db})   // db is a *store.Store
//	...
//	fasthttp.ListenAndServe("127.0.0.1:8080", s.Handler)
//	lost, err := s.Close(ctx)
//
// What each route costs above the bare server:
//
//	route                                 framework                           by hand
//	GET  /hello, GET /timestamp           compiled matcher, Ctx, JSON codec   a switch, a literal
//	POST /documents, GET /documents       document.Build, store               InsertOne, FindOne
//	POST /survey/{survey}/{user}          document.Build, one store.Insert    Iterator to BSON, InsertOne
//	PUT  /survey/{survey}/{user}          document.Build, driver's update     Iterator to BSON, the same update
//	POST /surveybatched/{survey}/{user}   batch.Set at level accept           a mutex and a slice
//	POST /surveynodb/{survey}/{user}      document.Build                      Iterator to BSON
//
// The framework does more in two respects: it checks the JSON strictly, where json-iterator lets
// some of it pass, and it retries a batch that could not be delivered.
package scenario
