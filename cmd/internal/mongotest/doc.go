// Package mongotest gives a test a database that speaks MongoDB's wire protocol
// over a real socket.
//
//	func TestPost(t *testing.T) {
//		db := mongotest.Database(t) // empty, dropped when the test ends
//		if _, err := db.Collection("answers").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// Where the database comes from:
//
//	RAPIDREST_TEST_MONGO_URI is set   that one: a mongod, a replica set, a cluster
//	otherwise                         the embedded one, in this process
//	otherwise, under -race            `rapidrest mongo` as a process of its own: the
//	                                  race detector makes SQLite ten times slower, and
//	                                  the races of interest are ours, not the database's
//
// Tests that run at the same time share one database server; it is stopped and
// its files are removed when the last of them ends, so nothing is left behind.
//
// Process starts a database that the test may kill and start again at the same
// address. It, and the -race form, run the rapidrest binary that
// RAPIDREST_TEST_BINARY names, or else one that the go command builds.
package mongotest
