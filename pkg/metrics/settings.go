package metrics

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Names of the environment variables with the settings of a gateway. Secrets come from these variables or from files
// that they name, never from a command line, which every user of the machine can read.
const (
	variableUser         = "H5PERF_PUSHGATEWAY_USER"
	variablePassword     = "H5PERF_PUSHGATEWAY_PASSWORD"
	variablePasswordFile = "H5PERF_PUSHGATEWAY_PASSWORD_FILE"
	variableToken        = "H5PERF_PUSHGATEWAY_TOKEN"
	variableTokenFile    = "H5PERF_PUSHGATEWAY_TOKEN_FILE"
	variableCA           = "H5PERF_PUSHGATEWAY_CA"   // file with the CA certificates to trust instead of the system's
	variableCert         = "H5PERF_PUSHGATEWAY_CERT" // file with the certificate of this client
	variableKey          = "H5PERF_PUSHGATEWAY_KEY"  // file with the key of this client
	variableTimeout      = "H5PERF_PUSH_TIMEOUT"     // limit for all attempts of a call together
)

const defaultTimeout = 10 * time.Second

// EnvLookup is a function like os.LookupEnv: it returns the value of an environment variable, and whether it is set.
type EnvLookup func(name string) (string, bool)

// valueOrEmpty returns the value of a variable, or "" if it is not set.
func (l EnvLookup) valueOrEmpty(name string) string {
	value, _ := l(name)
	return value
}

// ParseURL parses the URL of a gateway. It returns an error if the URL contains a user, a password or parameters; that
// error does not contain the URL.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("not the URL of a Pushgateway, such as http://HOST:9091")
	case u.User != nil, u.RawQuery != "", u.Fragment != "", strings.Contains(text, "@"):
		return nil, fmt.Errorf("the URL of a Pushgateway must not contain a user, a password or parameters, because "+
			"everybody on the machine can read a command line: set %s and %s, or %s, or the same variables without "+
			"_FILE", variableUser, variablePasswordFile, variableTokenFile)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is not the URL of a Pushgateway, such as http://HOST:9091", text)
	}
	return u, nil
}

// NewGateway returns a client for the gateway at a URL. It takes the settings from environment variables and reads the
// files that they name. It does not contact the gateway.
func NewGateway(address string, lookup EnvLookup) (*Gateway, error) {
	u, err := ParseURL(address)
	if err != nil {
		return nil, err
	}
	g := &Gateway{url: u, timeout: defaultTimeout, withTimeout: context.WithTimeout}
	if text := lookup.valueOrEmpty(variableTimeout); text != "" {
		if g.timeout, err = time.ParseDuration(text); err != nil || g.timeout <= 0 {
			return nil, fmt.Errorf("%s: %q is not a duration above 0, such as 10s", variableTimeout, text)
		}
	}
	if g.user, g.authenticate, err = authentication(lookup); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if transport.TLSClientConfig, err = newTLSConfig(lookup); err != nil {
		return nil, err
	}
	reportTLSAlerts(transport)
	g.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return g, nil
}

// authentication returns the user for Destination, and a function that adds the credentials to a request. The
// environment variables contain either a user and a password, or a token, or neither.
func authentication(lookup EnvLookup) (user string, signed func(*http.Request), err error) {
	user = lookup.valueOrEmpty(variableUser)
	password, err := readCredential(lookup, variablePassword, variablePasswordFile)
	if err != nil {
		return "", nil, err
	}
	token, err := readCredential(lookup, variableToken, variableTokenFile)
	switch {
	case err != nil:
		return "", nil, err
	case token != "" && user+password != "":
		return "", nil, fmt.Errorf("%s and %s are both set: set either a user with a password, or a token",
			variableUser, variableToken)
	case user == "" && password != "":
		return "", nil, fmt.Errorf("a password for the Pushgateway is set, but no user: set %s", variableUser)
	case user != "" && password == "":
		return "", nil, fmt.Errorf("%s is set, but no password: set %s or %s", variableUser, variablePasswordFile,
			variablePassword)
	case token != "":
		return "bearer", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, nil
	case user != "":
		return user, func(r *http.Request) { r.SetBasicAuth(user, password) }, nil
	}
	return "", func(*http.Request) {}, nil
}

// readCredential returns the value of the environment variable variable, or the only line of the file that the
// environment variable file names.
func readCredential(lookup EnvLookup, variable, file string) (string, error) {
	value, path := lookup.valueOrEmpty(variable), lookup.valueOrEmpty(file)
	if value != "" && path != "" {
		return "", fmt.Errorf("%s and %s are both set: unset one of them", variable, file)
	}
	source := variable
	if path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		value, source = strings.TrimRight(string(text), "\r\n"), file
		if value == "" {
			return "", fmt.Errorf("%s: %s is empty", file, path)
		}
	}
	if strings.ContainsAny(value, "\r\n") {
		return "", fmt.Errorf("%s: the value has more than one line", source)
	}
	return value, nil
}

// newTLSConfig returns a TLS configuration with the certificates that environment variables name.
func newTLSConfig(lookup EnvLookup) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if path := lookup.valueOrEmpty(variableCA); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", variableCA, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: %s holds no certificate in PEM format", variableCA, path)
		}
	}
	cert, key := lookup.valueOrEmpty(variableCert), lookup.valueOrEmpty(variableKey)
	if cert == "" && key == "" {
		return c, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, cmp.Or(key, cert))
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", variableCert, variableKey, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
