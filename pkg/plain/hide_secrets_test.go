package plain_test

import (
	"testing"

	"h5perf/pkg/plain"
)

func TestUsersAndPasswordsOfURLsAreHidden(t *testing.T) {
	for text, want := range map[string]string{
		"http://u:s3cret@h:9091/path":             "http://(hidden)@h:9091/path",
		"https://token@h":                         "https://(hidden)@h",
		"http://u:s3/c@r:et@h":                    "http://(hidden)@h",
		"//u:s3cret@h":                            "//(hidden)@h",
		"u:s3cret@h:9091":                         "(hidden)@h:9091",
		"proxy=u:s3cret@h:9091,tls":               "proxy=(hidden)@h:9091,tls",
		`Get "http://u:s3cret@h": no route`:       `Get "http://(hidden)@h": no route`,
		"two http://a:b@c and socks5://d:e@f ":    "two http://(hidden)@c and socks5://(hidden)@f ",
		"http://h:9091: ask admin@example.org":    "http://h:9091: ask admin@example.org",
		"*:cb_nodes=2":                            "*:cb_nodes=2",
		"mlx5_0:1,mlx5_1:1":                       "mlx5_0:1,mlx5_1:1",
		"tcp://10.0.0.1:5;rc_x":                   "tcp://10.0.0.1:5;rc_x",
		"scratch:/run of 12:30 by me@cluster.org": "scratch:/run of 12:30 by me@cluster.org",
	} {
		if got := plain.HideInURLs(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

func TestValuesOfSecretVariablesAreHidden(t *testing.T) {
	for name, want := range map[string]string{
		"UCX_PROXY": "http://(hidden)@h", "pmix_token": "(hidden)", "FI_CXI_AUTH_KEY": "(hidden)",
	} {
		if got := plain.HideSecretsInVariable(name, "http://u:s3cret@h"); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestASecretOfOneURLMayHoldAnything(t *testing.T) {
	for value, want := range map[string]string{
		"http://u:pa'ss@h": "http://(hidden)@h", "http://u:pa ss@h": "http://(hidden)@h",
		"u:pa/ss@h": "(hidden)@h", `http://u:"@"@h`: "http://(hidden)@h", "http://h:9091/path": "http://h:9091/path",
		"scratch:/run of 12:30 by me@cluster.org": "scratch:/run of 12:30 by me@cluster.org",
		"*:cb_nodes=2": "*:cb_nodes=2",
	} {
		if got := plain.HideInURL(value); got != want {
			t.Errorf("%s becomes %s, want %s", value, got, want)
		}
	}
}
