package metrics_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
	"h5perf/pkg/test/metricstest"
)

// environment returns an environment that contains only these variables.
func environment(variables map[string]string) metrics.EnvLookup {
	return func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
}

// gateway returns a client whose timeout is long enough for slow machines.
func gateway(t *testing.T, address string, variables map[string]string) *metrics.Gateway {
	t.Helper()
	all := map[string]string{"H5PERF_PUSH_TIMEOUT": "10m"}
	maps.Copy(all, variables)
	g, err := metrics.NewGateway(address, environment(all))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func pushed(t *testing.T, g *metrics.Gateway, doc result.Document) {
	t.Helper()
	if err := g.Push(context.Background(), doc, false); err != nil {
		t.Fatal(err)
	}
}

// shown returns the text that Prometheus would scrape from a gateway.
func shown(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var text strings.Builder
	if err := resp.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestRunsArePushedScrapedAndQueried(t *testing.T) {
	address := metricstest.Pushgateway(t)
	g := gateway(t, address, nil)
	target := strings.TrimPrefix(address, "http://")
	prometheus := metricstest.Prometheus(t,
		"global: {scrape_interval: 200ms}\nscrape_configs: [{job_name: pushgateway, honor_labels: true, "+
			"static_configs: [{targets: ['"+target+"']}]}]", t.TempDir())
	const group = `job="h5perf",cluster="alpha",filesystem="/scratch/a b",label="nightly"`
	is := func(expression, want string) {
		t.Helper()
		metricstest.Eventually(t, expression+" = "+want, func() bool {
			answer := metricstest.Query(t, prometheus, expression, time.Time{})
			return len(answer) == 1 && answer[0].Values[0].Text == want || want == "" && len(answer) == 0
		})
	}
	end := func(start time.Time) string { return fmt.Sprint(start.Add(20 * time.Minute).Unix()) }

	pushed(t, g, series.Run(firstStart, 1))
	is(`h5perf_run_success{`+group+`}`, "1")
	is(`h5perf_run_completion_timestamp_seconds{`+group+`}`, end(firstStart))
	is(`count(h5perf_throughput_bytes_per_second{`+group+`,statistic="median"})`, "36")
	is(`count(h5perf_operation_duration_seconds_bucket{`+group+`,le="+Inf"})`, "36")
	if text := shown(t, address); strings.Contains(text, "h5perf_operation_duration_seconds{") {
		t.Error("the histogram is no classic one")
	}

	pushed(t, g, series.Run(firstStart.AddDate(0, 0, 1), 0.5))
	is(`h5perf_run_completion_timestamp_seconds{`+group+`}`, end(firstStart.AddDate(0, 0, 1)))
	is(`count(h5perf_run_success)`, "1")

	pushed(t, g, series.Failed(firstStart.AddDate(0, 0, 2)))
	is(`h5perf_run_success{`+group+`}`, "0")
	is(`h5perf_throughput_bytes_per_second`, "")
	is(`sum(h5perf_verification_errors{`+group+`})`, "1")

	other := series
	other.Identity.Label = "weekly ../?#"
	pushed(t, g, other.Run(firstStart, 1))
	is(`count(h5perf_run_success)`, "2")
	is(`h5perf_run_success{label="weekly ../?#"}`, "1")

	ends, _, err := g.RunEndTimes(context.Background())
	if err != nil || len(ends) != 2 ||
		!ends[metrics.GroupingKey{Identity: other.Identity}].Equal(firstStart.Add(20*time.Minute)) {
		t.Errorf("groups %v, %v", ends, err)
	}
	if err := g.Delete(context.Background(), metrics.GroupingKey{Identity: other.Identity}); err != nil {
		t.Error(err)
	}
	is(`count(h5perf_run_success)`, "1")
}

// hasty returns a gateway whose calls time out in the third attempt. Each attempt times out after attempt.
func hasty(t *testing.T, address string, attempt time.Duration) *metrics.Gateway {
	t.Helper()
	g := gateway(t, address, nil)
	g.EndAfter(2, attempt)
	return g
}

// failing pushes to a gateway and returns the error. It fails the test if there is none.
func failing(t *testing.T, g *metrics.Gateway) string {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- g.Push(context.Background(), series.Run(firstStart, 1), false) }()
	select {
	case err := <-ended:
		if err == nil {
			t.Fatal("no error")
		}
		return err.Error()
	case <-time.After(10 * time.Minute):
		t.Fatal("the push does not end")
	}
	return ""
}

func TestAGatewayThatIsDownIsTriedAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	text := failing(t, hasty(t, "http://"+address, time.Hour))
	if !strings.Contains(text, "connection refused (3 attempts in ") ||
		!strings.HasPrefix(text, "Pushgateway http://"+address+":") {
		t.Error(text)
	}
}

func TestASilentGatewayDoesNotHoldARun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	text := failing(t, hasty(t, "http://"+l.Addr().String(), time.Millisecond))
	if !strings.Contains(text, "no answer (3 attempts in ") {
		t.Error(text)
	}
}

func TestTheContextEndsAPush(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	g := gateway(t, "http://"+l.Addr().String(), nil)
	if err := g.Push(ctx, series.Run(firstStart, 1), false); err == nil {
		t.Error("no error")
	}
}

func TestWhatTheGatewayRefusesIsToldAtOnce(t *testing.T) {
	address := metricstest.Pushgateway(t)
	resp, err := http.Post(address+"/metrics/job/other", "text/plain",
		strings.NewReader("# TYPE h5perf_run_success counter\nh5perf_run_success 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	text := failing(t, gateway(t, address, nil))
	if !strings.Contains(text, "answered 400 Bad Request") || !strings.Contains(text, "h5perf_run_success") ||
		strings.Contains(text, "attempts") {
		t.Error(text)
	}
}

// before returns a server in front of a real gateway. It forwards a request if answer returns false.
func before(t *testing.T, start func(http.Handler) *httptest.Server,
	answer func(http.ResponseWriter, *http.Request) bool,
) *httptest.Server {
	t.Helper()
	behind, err := url.Parse(metricstest.Pushgateway(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	s := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestTroubleThatPassesIsTriedAgain(t *testing.T) {
	var requests atomic.Int32
	s := before(t, httptest.NewServer, func(w http.ResponseWriter, _ *http.Request) bool {
		if requests.Add(1) > 2 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	pushed(t, gateway(t, s.URL, nil), series.Run(firstStart, 1))
	if n := requests.Load(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if text := shown(t, s.URL); !strings.Contains(text, "h5perf_run_success{") {
		t.Errorf("nothing was pushed:\n%s", text)
	}
}

func TestARedirectionIsNotFollowed(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer elsewhere.Close()
	target := strings.Replace(elsewhere.URL, "//", "//me:hush@", 1)
	s := httptest.NewServer(http.RedirectHandler(target, http.StatusTemporaryRedirect))
	defer s.Close()
	text := failing(t, gateway(t, s.URL, map[string]string{"H5PERF_PUSHGATEWAY_TOKEN": "abc"}))
	shown := strings.Replace(elsewhere.URL, "//", "//(hidden)@", 1)
	if !strings.Contains(text, "answered 307 Temporary Redirect to "+shown) || asked.Load() != 0 {
		t.Errorf("%s; %d requests went elsewhere", text, asked.Load())
	}
}

// put writes a file and returns its path.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate makes a self-signed certificate for 127.0.0.1, and returns the paths of the certificate and of its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, kind string, der []byte) string {
		return put(t, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	}
	return file("cert.pem", "CERTIFICATE", der), file("key.pem", "PRIVATE KEY", pkcs)
}

// The configuration of the gateway holds the bcrypt hash of password.
const (
	password     = "a secret word"
	passwordHash = "$2b$04$qQ73HzI6OMAyQoErtOcZg.YJe9urrFZZFCSG4BopfdEpqOVzqNq/a"
)

func TestTLSWithClientCertificateAndBasicAuthentication(t *testing.T) {
	cert, key := certificate(t)
	clientCert, clientKey := certificate(t)
	config := put(t, "web.yml",
		fmt.Sprintf("tls_server_config: {cert_file: %s, key_file: %s, client_auth_type: RequireAndVerifyClientCert, "+
			"client_ca_file: %s}\nbasic_auth_users: {nightly: %q}\n",
			cert, key, clientCert, passwordHash))
	address := "https" + strings.TrimPrefix(metricstest.Pushgateway(t, "--web.config.file="+config), "http")
	good := map[string]string{
		"H5PERF_PUSHGATEWAY_CA":   cert,
		"H5PERF_PUSHGATEWAY_CERT": clientCert, "H5PERF_PUSHGATEWAY_KEY": clientKey,
		"H5PERF_PUSHGATEWAY_USER": "nightly", "H5PERF_PUSHGATEWAY_PASSWORD_FILE": put(t, "password", password+"\n"),
	}
	pushed(t, gateway(t, address, good), series.Run(firstStart, 1))
	for name, c := range map[string]struct{ value, want string }{
		"H5PERF_PUSHGATEWAY_CA":            {"", "certificate signed by unknown authority"},
		"H5PERF_PUSHGATEWAY_CERT":          {"", "remote error: tls: "},
		"H5PERF_PUSHGATEWAY_PASSWORD_FILE": {put(t, "password", "another secret word"), "answered 401 Unauthorized"},
	} {
		bad := maps.Clone(good)
		bad[name] = c.value
		if name == "H5PERF_PUSHGATEWAY_CERT" {
			bad["H5PERF_PUSHGATEWAY_KEY"] = ""
		}
		text := failing(t, gateway(t, address, bad))
		if !strings.Contains(text, c.want) || strings.Contains(text, "secret") {
			t.Errorf("%s %q: %s; want %q, without the secret", name, c.value, text, c.want)
		}
	}
}

// The server ends the connection while the client writes its request. The error must name the reason every time.
func TestTheReasonOfARefusedClientIsTold(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	ca := put(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	for range 100 {
		g := gateway(t, s.URL, map[string]string{"H5PERF_PUSHGATEWAY_CA": ca})
		if text, want := failing(t, g), g.String()+": remote error: tls: certificate required"; text != want {
			t.Fatalf("%s, want %s", text, want)
		}
	}
}

func TestTLSWithBearerAuthentication(t *testing.T) {
	const token = "a-secret-token"
	s := before(t, httptest.NewTLSServer, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer "+token {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	ca := put(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	for _, variables := range []map[string]string{
		{"H5PERF_PUSHGATEWAY_TOKEN": token},
		{"H5PERF_PUSHGATEWAY_TOKEN_FILE": put(t, "token", token+"\n")},
	} {
		variables["H5PERF_PUSHGATEWAY_CA"] = ca
		g := gateway(t, s.URL, variables)
		pushed(t, g, series.Run(firstStart, 1))
		if ends, _, err := g.RunEndTimes(context.Background()); err != nil || len(ends) != 1 {
			t.Errorf("groups %v, %v", ends, err)
		}
	}
	text := failing(t,
		gateway(t, s.URL, map[string]string{"H5PERF_PUSHGATEWAY_CA": ca, "H5PERF_PUSHGATEWAY_TOKEN": "no-" + token}))
	if !strings.Contains(text, "answered 403") || strings.Contains(text, token) {
		t.Error(text)
	}
}

func TestSettingsThatCannotBeMeantAreRefused(t *testing.T) {
	const at = "https://gateway:9091"
	cert, _ := certificate(t)
	for _, c := range []struct {
		address   string
		variables map[string]string
		want      string
	}{
		{"gateway:9091", nil, "http://HOST:9091"},
		{"ftp://gateway", nil, "http://HOST:9091"},
		{"https://me:hush@gateway", nil, "H5PERF_PUSHGATEWAY_USER"},
		{"me:hush@gateway:9091", nil, "H5PERF_PUSHGATEWAY_USER"},
		{"http://me:12/hush@gateway:9091", nil, "H5PERF_PUSHGATEWAY_USER"},
		{"http://gateway/me:hush@x", nil, "H5PERF_PUSHGATEWAY_USER"},
		{"me:hu sh@gateway:9091", nil, "H5PERF_PUSHGATEWAY_USER"},
		{"https://hush@gateway", nil, "H5PERF_PUSHGATEWAY_USER"},
		{"https://gateway?token=hush", nil, "H5PERF_PUSHGATEWAY_TOKEN_FILE"},
		{"https://me:hu%zsh@gateway", nil, "not the URL"},
		{at, map[string]string{"H5PERF_PUSH_TIMEOUT": "10"}, `"10" is not a duration`},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_USER": "me"}, "but no password"},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_PASSWORD": "hush"}, "but no user: set H5PERF_PUSHGATEWAY_USER"},
		{
			at,
			map[string]string{"H5PERF_PUSHGATEWAY_PASSWORD": "hush", "H5PERF_PUSHGATEWAY_PASSWORD_FILE": "x"},
			"both set",
		},
		{
			at,
			map[string]string{
				"H5PERF_PUSHGATEWAY_USER": "me", "H5PERF_PUSHGATEWAY_PASSWORD": "hush",
				"H5PERF_PUSHGATEWAY_TOKEN": "hush",
			},
			"both set",
		},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_TOKEN": "hush\nhush"}, "more than one line"},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_TOKEN_FILE": "/none"}, "H5PERF_PUSHGATEWAY_TOKEN_FILE: " +
			"open /none: no such file"},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_TOKEN_FILE": put(t, "empty", "\n")}, "is empty"},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_CA": "/none"}, "H5PERF_PUSHGATEWAY_CA: open /none"},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_CA": put(t, "ca", "hush")}, "holds no certificate"},
		{at, map[string]string{"H5PERF_PUSHGATEWAY_CERT": cert}, "H5PERF_PUSHGATEWAY_KEY"},
	} {
		_, err := metrics.NewGateway(c.address, environment(c.variables))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s %v: %v, want %q", c.address, c.variables, err, c.want)
		}
	}
}
