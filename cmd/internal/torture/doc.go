// Package torture puts a server through what kills other servers and counts what
// is missing afterwards: `rapidrest serve` as a real process under real load, the
// embedded database as another, and between them a proxy that breaks connections;
// the server is killed with SIGKILL and started again, and so is the database.
//
//	report, err := torture.Run(ctx, torture.Config{
//		Binary:   "/usr/local/bin/rapidrest",
//		Dir:      dir,
//		Level:    "spool",
//		Duration: time.Minute,
//		Kills:    20,
//		Faults:   10,
//		Rate:     1000,
//		Seed:     1,
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Print(report)
//
// Every document is made from the seed and its number, so that the ledger needs to
// keep no more than how each was answered, and every byte of what the database
// holds in the end can be checked. The ledger's sums:
//
//	accepted     answered 2xx: it must be there, once, as it was sent, under the _id
//	             that the answer named
//	refused      answered otherwise: the client knows. It may be there after a 504
//	unanswered   the connection broke: the client knows that it does not know
//	lost         accepted and not there
//	duplicated   there more than once, however it was answered
//	altered      there with another byte, under another _id, or in another collection
//	foreign      there and never sent
//	undelivered  still on its way when the ledger was closed, because nothing moved
//	             any more or Patience was over
//
// One document of fifty brings an _id of its own. Of these, a request that broke
// is sent again as it was, as a client would; 409 then is as good as 2xx.
//
// The spool can lie on a small file system of its own, which is filled to the last
// byte while the server writes to it. That needs a Linux on which users may have
// namespaces, and no privileges.
//
// Level accept promises nothing about a killed server, so it is tortured with
// faults of the database alone. The moments and kinds of kills and faults come
// from the seed; what the machine makes of them is its own, so a seed repeats an
// experiment and not every interleaving.
package torture
