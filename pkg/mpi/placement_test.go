package mpi

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlacementOfOneProcess(t *testing.T) {
	hosts, err := Placement(Self{}, OwnProcessors)
	if err != nil || len(hosts) != 1 || len(hosts[0].Bindings) != 1 || hosts[0].CPUs <= 0 {
		t.Fatalf("%v, %v; want one host with one binding and processors", hosts, err)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := Host{
		Name: name, Ranks: "0", Count: 1, Bindings: []Binding{{hosts[0].Bindings[0].CPUs, 1}}, CPUs: hosts[0].CPUs,
	}
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
	for _, p := range []placed{
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
	text, err := describe(texts)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Name":"` + host + `","Ranks":"2-8:2","Count":4,` +
		`"Bindings":[{"CPUs":"0-1","Ranks":3},{"CPUs":"2-3","Ranks":1}],"CPUs":4}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}
