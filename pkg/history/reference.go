package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// ReferenceFile is the name of the file that contains the references of a tree of results: one JSON object per line, in
// chronological order.
const ReferenceFile = "reference.jsonl"

// PinnedReference is a line of a reference file. Somebody chose these runs as the reference of an identity. The line
// replaces earlier references of the same identity. A line without runs removes the reference of the identity.
type PinnedReference struct {
	Version  int             `json:"reference_version"` // 1
	Time     time.Time       `json:"time"`
	Author   string          `json:"by"` // user and host
	Note     string          `json:"note"`
	Identity result.Identity `json:"identity"`
	Runs     []string        `json:"run_ids"` // in the order in which they started; empty to end the reference
}

// ReadReferences returns the lines of the reference file of a tree, in chronological order. It returns nil if the tree
// has no such file.
func ReadReferences(tree string) (all []PinnedReference, err error) {
	path := filepath.Join(tree, ReferenceFile)
	text, err := readReferenceFile(path)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var p PinnedReference
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("reference %s: line %d: %w", path, n, err)
		}
		if p.Version != 1 {
			return nil, fmt.Errorf("reference %s: line %d: reference_version %d; this program reads version 1", path, n,
				p.Version)
		}
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("reference %s: line %d: %w", path, n, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// maxReferenceBytes is the maximum size of a reference file in bytes.
const maxReferenceBytes = 16 << 20

// readReferenceFile returns the contents of a reference file, or nil if it does not exist.
func readReferenceFile(path string) ([]byte, error) {
	text, err := plain.ReadText(path, maxReferenceBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reference: %w", err)
	}
	return text, nil
}

// maxNoteLength is the maximum number of characters in a note. A note is shown in one line, and is a label in metrics.
const maxNoteLength = 500

// Check returns an error if a text field contains characters that cannot be shown in a line, or if the note is too
// long.
func (p PinnedReference) Check() error {
	texts := append([]string{p.Note, p.Author, p.Identity.Cluster, p.Identity.Filesystem, p.Identity.Label}, p.Runs...)
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%q has characters that cannot be shown", text[:min(len(text), 100)])
		}
	}
	if n := utf8.RuneCountInString(p.Note); n > maxNoteLength {
		return fmt.Errorf("the note has %d characters; at most %d are possible", n, maxNoteLength)
	}
	return nil
}

// CurrentReferences returns, for each identity, its last reference, unless that reference was removed.
func CurrentReferences(all []PinnedReference) (current []PinnedReference) {
	for _, p := range all {
		current = slices.DeleteFunc(current, func(before PinnedReference) bool { return before.Identity == p.Identity })
		if len(p.Runs) > 0 {
			current = append(current, p)
		}
	}
	return current
}

// PinReferences adds references, one line each, to the reference file of a tree. It replaces the file atomically, and
// locks the tree, so concurrent calls wait for each other.
func PinReferences(tree string, more ...PinnedReference) error {
	path := filepath.Join(tree, ReferenceFile)
	dir, err := os.Open(tree)
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	defer func() { _ = dir.Close() }()
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("reference: flock %s: %w", tree, err)
	}
	if _, err := ReadReferences(tree); err != nil { // do not append to a damaged file
		return err
	}
	before, err := readReferenceFile(path)
	if err != nil {
		return err
	}
	if n := len(before); n > 0 && before[n-1] != '\n' {
		before = append(before, '\n')
	}
	text := bytes.NewBuffer(before)
	for _, p := range more {
		p.Version = 1
		if err := p.Check(); err != nil {
			return fmt.Errorf("reference: %w", err)
		}
		line, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("reference %s: %w", path, err)
		}
		text.Write(append(line, '\n'))
	}
	f, err := os.CreateTemp(tree, "."+ReferenceFile+".*")
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	_, err = f.Write(text.Bytes())
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("reference %s: %w", path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// ChooseReferences makes a reference from the records of each identity, in the order in which the identities first
// appear. It returns an error if a run cannot be in a reference, because it is not complete. If partial is true, a run
// only has to be ended.
func ChooseReferences(records []Record, partial bool) (all []PinnedReference, err error) {
	for _, r := range records {
		if !r.State.IsUsable(partial) {
			return nil, fmt.Errorf("%s: run %s is %s; a reference needs complete runs, or with --partial runs that "+
				"have ended", r.Path, r.RunID, r.State)
		}
		i := slices.IndexFunc(all, func(p PinnedReference) bool { return p.Identity == r.Identity })
		if i < 0 {
			i = len(all)
			all = append(all, PinnedReference{Identity: r.Identity})
		}
		if !slices.Contains(all[i].Runs, r.RunID) {
			all[i].Runs = append(all[i].Runs, r.RunID)
		}
	}
	return all, nil
}

// FindRecords returns the records with the given run ids or file paths, in the order in which their runs started. The
// error lists the words that match no record.
func FindRecords(records []Record, words []string) (named []Record, err error) {
	var missing []string
	for _, w := range words {
		i := slices.IndexFunc(records, func(r Record) bool {
			return r.RunID == w || filepath.Clean(r.Path) == filepath.Clean(w)
		})
		if i < 0 {
			missing = append(missing, w)
			continue
		}
		named = append(named, records[i])
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no run has the id or the path %s", strings.Join(missing, ", "))
	}
	slices.SortStableFunc(named, func(a, b Record) int { return a.Started.Compare(b.Started) })
	return named, nil
}
