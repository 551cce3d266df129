package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Without a token 401, with one of the file in; after SIGHUP the file's new ones count. Health
// routes need none.
func TestTokenFile(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "tokens"), "# ours\nfirst\n\n  second  \n")
	c := serve(t, mongotest.Database(t), "--reply", "store", "--token-file", file)
	url := c.url()
	status := func(token string) int {
		t.Helper()
		return send(t, "POST", url+"/collections/answers", `{}`, "Authorization", token).status
	}
	for token, want := range map[string]int{
		"Bearer first": 201, "Bearer second": 201, "bearer first": 201,
		"": 401, "Bearer third": 401, "Bearer ": 401, "Basic first": 401, "Bearer # ours": 401, "Bearer firs": 401,
	} {
		if got := status(token); got != want {
			t.Errorf("%q: %d, want %d", token, got, want)
		}
	}
	got := send(t, "GET", url+"/collections/answers", "")
	if got.status != 401 || !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("GET: %d, WWW-Authenticate %q; want 401 and Bearer", got.status, got.header.Get("WWW-Authenticate"))
	}
	if got := send(t, "GET", url+"/live", ""); got.status != 200 {
		t.Errorf("/live: %d, want 200", got.status)
	}

	hup := func() {
		t.Helper()
		if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	write(t, file, "third\n")
	hup()
	await(t, "the new token counts", func() bool { return status("Bearer third") == 201 })
	if got := status("Bearer first"); got != 401 {
		t.Errorf("an old token: %d, want 401", got)
	}
	write(t, file, "# none\n")
	hup()
	await(t, "a file without tokens is refused", func() bool { return strings.Contains(c.stderr.String(), "not reloaded") })
	if got := status("Bearer third"); got != 201 {
		t.Errorf("the token in force: %d, want 201", got)
	}
}

func TestEmptyTokenFile(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "tokens"), "\n# nothing\n")
	c := serve(t, mongotest.Database(t), "--token-file", file)
	if code := c.exit(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if said := c.stderr.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "no token") {
		t.Errorf("it says %q, want one line", said)
	}
}

// Beyond loopback a server has a token file, or is told --no-auth.
func TestListenBeyondLoopback(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "tokens"), "secret\n")
	for _, flags := range [][]string{{"--no-auth"}, {"--token-file", file}} {
		c := start(t, append([]string{"serve", "--listen", "0.0.0.0:0", "--mongo-uri", mongotest.URI(t)}, flags...)...)
		c.url()
		if code := c.terminate(); code != 0 {
			t.Errorf("%v: exit code %d, want 0", flags, code)
		}
	}
}

func TestTLS(t *testing.T) {
	cert, key, pool := selfSigned(t)
	c := serve(t, mongotest.Database(t), "--tls-cert", cert, "--tls-key", key)
	url := c.url()
	if !strings.HasPrefix(url, "https://") {
		t.Fatalf("it listens on %q, want https", url)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer client.CloseIdleConnections()
	res, err := client.Get(url + "/live")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("/live: %d, want 200", res.StatusCode)
	}
	if _, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 was spoken")
	}
}

// selfSigned makes a certificate for 127.0.0.1.
func selfSigned(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	dir := t.TempDir()
	certFile = write(t, filepath.Join(dir, "cert.pem"), string(certPEM))
	keyFile = write(t, filepath.Join(dir, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})))
	return certFile, keyFile, pool
}
