package mpi

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/placement"
)

func TestPlacementOfOneProcess(t *testing.T) {
	hosts, err := CollectPlacement(Self{}, OwnProcessors)
	if err != nil || len(hosts) != 1 || len(hosts[0].Bindings) != 1 || hosts[0].CPUs <= 0 {
		t.Fatalf("%v, %v; want one host with one binding and processors", hosts, err)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := placement.NewHost(name, []int{0}, []string{hosts[0].Bindings[0].CPUs}, hosts[0].CPUs)
	if d := cmp.Diff(want, hosts[0]); d != "" {
		t.Error(d)
	}
	if local, nodes := Node(Self{}); local != 0 || nodes != 1 {
		t.Errorf("local rank %d on %d nodes, want 0 on 1", local, nodes)
	}
}

func TestDescribeNode(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	var texts [][]byte
	for _, p := range []rankProcessors{
		{4, Processors{CPUs: "0-1"}},
		{2, Processors{CPUs: "2-3"}},
		{6, Processors{CPUs: "0-1"}},
		{8, Processors{"0-1", []Quota{{"/job", 1}}}},
	} {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	got, err := hostOfNode(texts)
	if err != nil {
		t.Fatal(err)
	}
	want := placement.NewHost(host, []int{2, 4, 6, 8}, []string{"2-3", "0-1", "0-1", "0-1"}, 4)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
