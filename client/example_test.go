package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rapidrest/rapidrest/client"
)

func ExampleRun() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()

	result, err := client.Run(context.Background(), client.Config{
		URL:      server.URL + "/survey/customer/{user}",
		Requests: 1000,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sent", result.Sent, "answered", result.Status)
	fmt.Println("failed", result.Failed(), result.Err())
	// Output:
	// sent 1000 answered map[201:1000]
	// failed 0 <nil>
}
