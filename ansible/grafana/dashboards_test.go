package main

import (
	"os"
	"path/filepath"
	"testing"
)

const role = "../roles/monitoring"

func TestTheRoleHasTheDashboards(t *testing.T) {
	files, err := filepath.Glob(role + "/files/dashboards/*.json")
	if err != nil || len(files) != len(dashboards()) {
		t.Errorf("the role has %v (%v), want %d dashboards", files, err, len(dashboards()))
	}
	for _, d := range dashboards() {
		want, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(role, "files/dashboards", d.file()))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not as it is made from these sources (%v): run 'make dashboards'", d.file(), err)
		}
	}
}
