//go:build scale

package run

import "testing"

func TestAllRanksFailWhereTheyCannotAgree(t *testing.T) { failTogether(t, 16000/nodeRanks, nodeRanks) }
