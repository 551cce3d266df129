// Package tune finds the size of batches that suits a database, how many of them should be under
// way at a time, and how long an open one should linger.
//
//	report, err := tune.Run(ctx, tune.Config{URI: "mongodb://127.0.0.1:27017/"})
//	if report != nil {
//		report.WriteText(os.Stdout) // also after Ctrl-C: what is known so far
//	}
//
// It fills a buffer in this process with survey documents, as fast as the buffer takes them, and
// times how long it takes until all are stored. A run has as many documents as the setting
// stores in about 0.7 s, unless Config says otherwise, and a fresh collection. All settings of a sweep are run in turn,
// round by round in a new random order, so that a drift of the machine falls on all alike.
//
// What is recommended is the smallest setting that cannot be told from the best: its interval
// overlaps the best one's, and its median is within 5 % of it. Larger ones only make answers wait.
//
//	sweep      varies            at
//	size       1 … 1,000         two batches under way
//	inflight   1, 2, 4, 8        the size found
//	linger     0 … 20 ms         the size and the number found
package tune
