// Command rapidrest takes JSON over HTTP into MongoDB, and measures what that costs.
//
//	rapidrest serve                    the server over collections
//	rapidrest spool ls|verify|replay   what serve keeps on disk until it is delivered
//	rapidrest deadletter replay FILE   what the database rejected, once more
//	rapidrest baseline | framework     two servers with the same scenario routes, to compare
//	rapidrest mongo                    the embedded database as a process of its own
//	rapidrest client URL               the load generator
//	rapidrest bench                    what the framework costs above the baseline
//	rapidrest bench compare A B        two of its reports, one beside the other
//	rapidrest bench check              how often it finds a slowdown that is there, and one that is not
//	rapidrest tune                     the batch size that suits a database
//	rapidrest torture                  a server killed and its database broken under load, and what is missing
//
// `rapidrest COMMAND --help` names every flag with its default and unit. Each flag that has an
// environment twin names it there: --batch-size is RAPIDREST_BATCH_SIZE.
//
// Servers print `listening on http://HOST:PORT` to standard output once they take requests, and
// log to standard error. The first SIGTERM or SIGINT stops admission and drains; a second one
// stops at once.
//
//	exit code   when
//	0           done, or stopped by a signal with every accepted document accounted for
//	1           the command failed; one line on standard error says why
//	2           the command line was wrong; likewise
//	3           documents that had been accepted were lost; the line says how many
package main
