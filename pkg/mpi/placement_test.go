package mpi

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlacementOfOneProcess(t *testing.T) {
	hosts, err := Placement(Self{})
	if err != nil || len(hosts) != 1 || len(hosts[0].Bindings) != 1 {
		t.Fatalf("%v, %v; want one host with one binding", hosts, err)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := Host{Name: name, Ranks: "0", Count: 1, Bindings: []Binding{{hosts[0].Bindings[0].CPUs, 1}}}
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
	text, err := describe([][]byte{[]byte("4 0-1"), []byte("2 2-3"), []byte("6 0-1"), []byte("8 0-1")})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Name":"` + host + `","Ranks":"2-8:2","Count":4,` +
		`"Bindings":[{"CPUs":"0-1","Ranks":3},{"CPUs":"2-3","Ranks":1}]}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}
