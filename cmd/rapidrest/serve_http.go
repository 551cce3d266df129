package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/server"
)

// serveHTTPFlags say what the network may ask of serve.
type serveHTTPFlags struct {
	MaxBody        size          `help:"Bytes in a request's body as it comes over the wire; more are refused with 413." default:"16MiB"`
	MaxInflated    size          `help:"Bytes in a compressed body once it is inflated; more are refused with 413." default:"64MiB"`
	MaxHeader      size          `help:"Bytes in a request's first line and headers together; more are refused with 431." default:"16KiB"`
	ReadTimeout    time.Duration `help:"How long a request may take to arrive, its headers and a body up to 64KiB 10s at most; a duration such as 30s." default:"30s"`
	WriteTimeout   time.Duration `help:"How long a client may take to read an answer; a duration such as 30s." default:"30s"`
	IdleTimeout    time.Duration `help:"How long a connection may be idle between requests; a duration such as 60s." default:"60s"`
	MaxConnections count         `help:"Connections open at once; more are answered 503." default:"10000"`

	TLSCert   string `name:"tls-cert" help:"Certificate chain (PEM) to serve HTTPS with; read again on SIGHUP." type:"existingfile" placeholder:"FILE" env:"RAPIDREST_TLS_CERT"`
	TLSKey    string `name:"tls-key" help:"The certificate's private key (PEM)." type:"existingfile" placeholder:"FILE" env:"RAPIDREST_TLS_KEY"`
	TokenFile string `help:"File of bearer tokens, one a line, of which a request must carry one; read again on SIGHUP." type:"existingfile" placeholder:"FILE"`
	NoAuth    bool   `help:"Let anybody in although other machines can reach the server."`
}

// Validate refuses what the flag types let through.
func (f *serveHTTPFlags) Validate() error {
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"--read-timeout", f.ReadTimeout}, {"--write-timeout", f.WriteTimeout}, {"--idle-timeout", f.IdleTimeout}} {
		if d.value <= 0 {
			return fmt.Errorf("%s must be above 0, not %v", d.flag, d.value)
		}
	}
	switch {
	case f.MaxHeader < 8000:
		return fmt.Errorf("--max-header must be at least 8000, the request line that RFC 9112 asks a server to take, not %d", f.MaxHeader)
	case (f.TLSCert == "") != (f.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key go together")
	}
	return nil
}

// keys are what is read from files and may be replaced while serving.
type keys struct {
	tokens      *server.Tokens // nil without --token-file
	certificate atomic.Pointer[tls.Certificate]
}

// load reads tokens and certificate, and reads them again whenever SIGHUP comes. What can't be
// read then stays as it was.
func (f *serveHTTPFlags) load(p *process) (*keys, error) {
	k := &keys{}
	if f.TokenFile != "" {
		tokens, err := server.ReadTokens(f.TokenFile)
		if err != nil {
			return nil, err
		}
		k.tokens = tokens
	}
	if err := f.loadCertificate(k); err != nil {
		return nil, err
	}
	go func() {
		for {
			select {
			case <-p.reload:
			case <-p.stop.Done():
				return
			}
			err := f.loadCertificate(k)
			if k.tokens != nil {
				err = errors.Join(err, k.tokens.Reload())
			}
			if err != nil {
				p.log.Error("not reloaded", "error", err)
			} else {
				p.log.Info("reloaded")
			}
		}
	}()
	return k, nil
}

func (f *serveHTTPFlags) loadCertificate(k *keys) error {
	if f.TLSCert == "" {
		return nil
	}
	cert, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	k.certificate.Store(&cert)
	return nil
}

// tls returns the configuration of HTTPS, nil for plain HTTP. HTTP/2 is not offered: the server
// does not speak it.
func (k *keys) tls() *tls.Config {
	if k.certificate.Load() == nil {
		return nil
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return k.certificate.Load(), nil
		},
	}
}
