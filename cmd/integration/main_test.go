package integration

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/store/storetest"
)

// The figures take longer than tests may. Without these flags everything here runs in a short
// form.
var (
	roundsFlag = flag.Int("rounds", 3, "rounds of a measurement, of which the median counts")
	docsFlag   = flag.Int("docs", 5_000, "documents of one arm in one round of a measurement")
	outageFlag = flag.Duration("outage", time.Second, "how long the database is away in an outage")
	sweepFlag  = flag.Duration("sweep", 200*time.Millisecond, "how long one size of a sweep is measured, in each round")
)

// nullRole makes this test binary a database that does nothing: a process of its own, so that the
// server in front of it has the machine to itself.
const nullRole = "INTEGRATION_TEST_NULL"

func TestMain(m *testing.M) {
	if os.Getenv(nullRole) == "" {
		os.Exit(m.Run())
	}
	null, err := storetest.Listen("127.0.0.1:0", storetest.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(null.URI())
	null.Wait()
}
