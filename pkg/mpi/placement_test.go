package mpi

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		want    string
		numbers []int
	}{
		{"", nil},
		{"0", []int{0}},
		{"0-1", []int{0, 1}},
		{"0,2", []int{0, 2}},
		{"0-3,8", []int{0, 1, 2, 3, 8}},
		{"0-30:2", []int{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}},
		{"1,5-7", []int{1, 5, 6, 7}},
		{"0-2,10-14:2,15", []int{0, 1, 2, 10, 12, 14, 15}},
	} {
		if got := ranges(c.numbers); got != c.want {
			t.Errorf("%v: %q, want %q", c.numbers, got, c.want)
		}
	}
}

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
