// Command manual writes manual pages, shell completions and the file for environment modules. It makes them from the
// help of the commands, so that all say the same. The directories below DIR are those below the prefix of an
// installation:
//
//	manual DIR PREFIX DATE
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 4 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: manual DIR PREFIX DATE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "manual: %v\n", err)
		os.Exit(1)
	}
}

// write writes all files below dir, for an installation at prefix. The manual pages show the date.
func write(dir, prefix, date string) error {
	commands, err := table()
	if err != nil {
		return err
	}
	files := map[string]string{
		"share/bash-completion/completions/h5perf":           bash(commands, toolName),
		"share/bash-completion/completions/h5perf_serial":    bash(serial(commands), serialName),
		"share/zsh/site-functions/_h5perf":                   zsh(commands),
		"share/fish/vendor_completions.d/h5perf.fish":        fish(commands, toolName),
		"share/fish/vendor_completions.d/h5perf_serial.fish": fish(serial(commands), serialName),
		"share/modulefiles/h5perf":                           modulefile(prefix),
	}
	for _, c := range commands {
		files["share/man/man1/"+c.page()+".1"] = c.roff(commands, date)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	link := filepath.Join(dir, "share/man/man1", serialName+".1")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(toolName+"-"+serialCommand+".1", link)
}
