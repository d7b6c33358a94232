package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/units"
)

// site is a directory of pages about a tree of results: an index, a page for each timeline, and a page for each run or
// for each group of runs that were measured alternately.
type site struct {
	report  Report
	trend   history.Trend
	runs    []pageRun
	keys    map[string]string // of each document: a hash of its content
	written int
	kept    int
}

// indexName is the name of the first page of a site.
const indexName = "index.html"

// writeSite writes a site about runs.
func (c Report) writeSite(env Env, trend history.Trend, runs []pageRun) error {
	s := site{report: c, trend: trend, runs: runs, keys: map[string]string{}}
	var all []string
	for _, r := range runs {
		key, err := hashFile(r.path)
		if err != nil {
			return &InputError{err}
		}
		s.keys[r.path] = key
		all = append(all, key)
	}
	if err := s.checkPages(); err != nil {
		return &InputError{err}
	}
	tree := hashOf(append(all, fmt.Sprint(trend.References))...)
	for _, r := range runs {
		if r.turns == "" || r.turns == r.runID {
			if err := s.writeRun(r); err != nil {
				return err
			}
		}
	}
	for _, t := range trend.Timelines {
		of := trend
		of.Timelines = []history.Timeline{t}
		name := page.TimelineName(t)
		err := s.writePage(timelinePage(name), hashOf(tree, name), func() (page.Content, error) {
			return newPageContent(of, s.runs, page.ShownRuns(of))
		})
		if err != nil {
			return err
		}
	}
	err := s.writePage(indexName, hashOf(tree, indexName), func() (page.Content, error) {
		content, err := newPageContent(trend, s.runs, page.ShownRuns(trend))
		content.MoreRuns = s.runsWithoutTimeline()
		return content, err
	})
	if err != nil {
		return err
	}
	return env.printLine("%s: %s written, %d not changed", filepath.Join(c.Site, indexName),
		units.Count(s.written, "page", "pages"), s.kept)
}

// checkPages returns an error if a file is in the way of a page, before any page is written.
func (s *site) checkPages() error {
	names := []string{indexName}
	for _, t := range s.trend.Timelines {
		names = append(names, timelinePage(page.TimelineName(t)))
	}
	for _, r := range s.runs {
		names = append(names, s.runPage(r.path))
	}
	for _, name := range names {
		if err := page.PageFile.Check(filepath.Join(s.report.Site, name), s.report.Force); err != nil {
			return fmt.Errorf("--site %s: %w", s.report.Site, err)
		}
	}
	return nil
}

// writeRun writes the page of a run and of those that were measured alternately with it.
func (s *site) writeRun(r pageRun) error {
	paths, key := []string{r.path}, s.keys[r.path]
	for _, other := range s.runs {
		if r.turns != "" && other.turns == r.turns && other.path != r.path {
			paths, key = append(paths, other.path), hashOf(key, s.keys[other.path])
		}
	}
	return s.writePage(s.runPage(r.path), key, func() (page.Content, error) {
		return newPageContent(history.Trend{}, s.runs, paths)
	})
}

// runPage returns the name of the page of the run of a document.
func (s *site) runPage(path string) string {
	i := slices.IndexFunc(s.runs, func(r pageRun) bool { return r.path == path })
	if i < 0 {
		return ""
	}
	id := s.runs[i].runID
	if first := s.runs[i].turns; first != "" {
		id = first
	}
	return "run-" + page.LinkName(id) + ".html"
}

func timelinePage(name string) string { return "fs-" + name + ".html" }

// runsWithoutTimeline returns links to the runs that the index shows nowhere else.
func (s *site) runsWithoutTimeline() (all []page.RunLink) {
	for _, r := range s.runs {
		if (r.turns == "" || r.turns == r.runID) && !belongsToTimeline(s.trend, r.path) {
			all = append(all, page.RunLink{Name: r.name, Address: s.runPage(r.path)})
		}
	}
	return all
}

// writePage writes a page of the site, unless it is there already and its key, which identifies all that it is made of,
// has not changed.
func (s *site) writePage(name, key string, content func() (page.Content, error)) error {
	path := filepath.Join(s.report.Site, name)
	key = hashOf(key, programKey())
	if isCurrentPage(path, key) {
		s.kept++
		return nil
	}
	c, err := content()
	if err != nil {
		return &InputError{err}
	}
	c.Key, c.Links = key, page.Links{Run: s.runPage, Timeline: timelinePage}
	if name != indexName {
		c.Links.Index = indexName
	}
	s.written++
	return s.report.writeFile(Env{}, page.PageFile, path, func(w io.Writer) error { return page.Write(w, c) })
}

// isCurrentPage reports whether a page with this key exists.
func isCurrentPage(path, key string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	head, err := io.ReadAll(io.LimitReader(f, page.HeadBytes))
	return errors.Join(err, f.Close()) == nil && bytes.Contains(head, []byte(key))
}

// programKey identifies the program that writes pages.
func programKey() string {
	info, _ := debug.ReadBuildInfo()
	return info.String()
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

func hashOf(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return hex.EncodeToString(sum[:])
}
