package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"h5perf/pkg/chart"
	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/table"
)

// Report is the command report: it writes tables, CSV, pages and pictures of documents.
type Report struct {
	Files []string `arg:"" name:"file" help:"Documents: a file, a directory, or a quoted pattern."`
	CSV   bool     `name:"csv" xor:"page,pictures" help:"Write every sample as CSV instead of a table."`
	HTML  string   `name:"html" xor:"page" placeholder:"FILE" help:"Write a page with pictures to FILE, instead of a table; - is standard output."`
	PNG   string   `name:"png" xor:"pictures" placeholder:"FILE|DIR" help:"Write the pictures to FILE, or to a directory that is there one file for each figure, instead of a table."`
	selection
	recent
}

// Run runs the command.
func (c Report) Run(env Env) error {
	selected, err := c.add(history.Selection{Identity: c.identity()}, env.Now())
	if err != nil {
		return err
	}
	records, skipped, err := history.LoadSelected(selected, c.Files...)
	if err != nil {
		return &InputError{err}
	}
	tellSkipped(env, skipped)
	if len(records) == 0 {
		return errNone
	}
	runs := make([]figures.Run, len(records))
	for i, r := range records {
		runs[i] = figures.Run{Name: r.Path, Document: r.Document}
	}
	switch {
	case c.CSV:
		return table.CSV(env.Stdout, runs)
	case c.HTML == "" && c.PNG == "":
		return table.Text(env.Stdout, runs)
	}
	var errs []error
	if c.HTML != "" {
		errs = append(errs, c.write(env, c.HTML, func(w io.Writer) error { return page.Write(w, runs) }))
	}
	if c.PNG != "" {
		errs = append(errs, c.pictures(env, page.Figures(runs)))
	}
	return errors.Join(errs...)
}

// pictures writes all figures to one file, or each one to its own file in a directory.
func (c Report) pictures(env Env, drawn []chart.Figure) error {
	if len(drawn) == 0 {
		return &InputError{errors.New("--png: the documents have no figure to draw: no case is complete")}
	}
	const columns = 3
	if info, err := os.Stat(c.PNG); err != nil || !info.IsDir() {
		return c.write(env, c.PNG, func(w io.Writer) error { return chart.PNG(w, columns, drawn...) })
	}
	for _, f := range drawn {
		path := filepath.Join(c.PNG, f.Name+".png")
		if err := c.write(env, path, func(w io.Writer) error { return chart.PNG(w, columns, f) }); err != nil {
			return err
		}
	}
	return nil
}

// write writes what to writes to a file, as a whole or not at all. An existing file is replaced. - means standard
// output.
func (c Report) write(env Env, path string, to func(io.Writer) error) error {
	if path == "-" {
		return to(env.Stdout)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &InputError{fmt.Errorf("report: %s is there and is not a regular file", path)}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	err = to(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		return nil
	}
	err = errors.Join(fmt.Errorf("report %s: %w", path, err), os.Remove(f.Name()))
	if errors.Is(err, chart.ErrTooMany) {
		return &InputError{fmt.Errorf("%w; give fewer documents", err)}
	}
	return err
}
