package command

import (
	"errors"

	"h5perf/pkg/metrics"
)

// gatewayOptions holds the option of commands that use a Pushgateway. Other settings of the Pushgateway, such as its
// password, are in environment variables; see metrics.NewGateway.
type gatewayOptions struct {
	Pushgateway string `placeholder:"URL" env:"H5PERF_PUSHGATEWAY" help:"URL of the Pushgateway. The user, password or token come from the environment variables H5PERF_PUSHGATEWAY_USER, _PASSWORD and _TOKEN, or from files whose paths are in _PASSWORD_FILE and _TOKEN_FILE. _CA, _CERT and _KEY are paths of certificates and a key."`
}

func (g gatewayOptions) openGateway(env Env) (*metrics.Gateway, error) {
	if g.Pushgateway == "" {
		return nil, &InputError{errors.New("no Pushgateway: give --pushgateway URL or set H5PERF_PUSHGATEWAY")}
	}
	opened, err := metrics.NewGateway(g.Pushgateway, env.Lookup)
	if err != nil {
		return nil, &InputError{err}
	}
	return opened, nil
}
