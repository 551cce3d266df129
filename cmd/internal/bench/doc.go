// Package bench measures what the framework costs above the bare baseline, and says how far
// its own figures can be believed.
//
//	report, err := bench.Measure(ctx, bench.Config{Binary: os.Args[0]})
//	if report != nil {
//		report.WriteTable(os.Stdout) // also after Ctrl-C or a fault: what is known so far
//	}
//
// The database and every subject are processes of their own; the client runs in this one. For
// each scenario all subjects are warmed up, and then measured in turn, run by run, every second
// round in reverse order (A B, B A, A B, …), so that a drift of the machine falls on all
// alike. Every run writes to a collection of its own, and the documents in it are counted over
// the wire: a run with one too few or too many is no figure but a fault.
//
// Before that, one request a scenario shows that all subjects answer with the same status, media
// type and bytes; ids, random titles and the time are left out. Scenarios with Rounds of their
// own are shown run by run, as their runs differ on purpose: upsert's collection grows.
//
// [TryOut] tries the bench itself out, and [Lineup] finds peers to measure beside.
//
// What a figure means:
//
//	requests/s     requests of a run by its time; with a database, the time until all is stored
//	ratio          median over the rounds of subject/baseline, both of the same round
//	CPU            user and system time of the process in the run, by its requests
//	p50, p99       of the latency that the client saw, the median over the runs
package bench
