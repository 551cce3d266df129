package integration

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/embedded"
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

// role makes this test binary a database, as a process of its own: with the value "null" one that
// does nothing, with "postgresql" the embedded one over PostgreSQL.
const role = "INTEGRATION_TEST_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "null":
		err = serveNull()
	case "postgresql":
		err = servePostgreSQL()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveNull() error {
	null, err := storetest.Listen("127.0.0.1:0", storetest.Config{})
	if err != nil {
		return err
	}
	fmt.Println(null.URI())
	return null.Wait()
}

func servePostgreSQL() error {
	db, err := embedded.Start(context.Background(), embedded.Config{Listen: "127.0.0.1:0", PostgreSQL: os.Getenv(postgresql)})
	if err != nil {
		return err
	}
	fmt.Println(db.URI())
	return db.Wait()
}
