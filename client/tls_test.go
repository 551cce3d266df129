package client

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, rate := range []float64{0, 5000} {
		r := runClient(t, Config{URL: server.URL, TLS: &tls.Config{RootCAs: roots}, Requests: 500, Rate: rate, Connections: 3})
		if err := r.Err(); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownCertificateIsADialError(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Config.ErrorLog = quiet
	defer server.Close()
	r := runClient(t, Config{URL: server.URL, TLS: &tls.Config{RootCAs: x509.NewCertPool()}, Requests: 5, Connections: 1, Timeout: 50e6})
	if r.Sent != 0 || r.Errors[Dial] == 0 || r.Unsent() != 5 {
		t.Errorf("%+v", r)
	}
}
