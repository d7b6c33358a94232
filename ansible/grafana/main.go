// Command grafana writes the dashboards of h5perf to a directory: grafana DIRECTORY. Grafana reads them as
// files. The role monitoring has a copy of what this command wrote.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: grafana DIRECTORY")
		os.Exit(2)
	}
	for _, d := range dashboards() {
		text, err := d.encode()
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], d.file()), text, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "grafana:", err)
			os.Exit(1)
		}
	}
}

func dashboards() []dashboard {
	return []dashboard{overview(), lastRun(), layers(), fleet()}
}

// file returns the name of the file of a dashboard.
func (d dashboard) file() string { return d.UID + ".json" }

func (d dashboard) encode() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return text.Bytes(), err
}
