package command

import (
	"errors"

	"h5perf/pkg/metrics"
)

// gateway is the option of commands that use a Pushgateway. Variables of the environment hold its other settings, see
// metrics.NewGateway.
type gateway struct {
	Pushgateway string `placeholder:"URL" env:"H5PERF_PUSHGATEWAY" help:"URL of the Pushgateway. User, password, token and certificates are in the variables H5PERF_PUSHGATEWAY_* and in files."`
}

func (g gateway) open(env Env) (*metrics.Gateway, error) {
	if g.Pushgateway == "" {
		return nil, &InputError{errors.New("no Pushgateway: give --pushgateway URL or set H5PERF_PUSHGATEWAY")}
	}
	opened, err := metrics.NewGateway(g.Pushgateway, env.Lookup)
	if err != nil {
		return nil, &InputError{err}
	}
	return opened, nil
}
