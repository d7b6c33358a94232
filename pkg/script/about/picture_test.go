package about

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// program returns the program of a rank that writes the given part of a dataset.
func program(s pattern.Selection) workload.Program {
	p := workload.Program{
		Files: []workload.File{{Name: "f"}},
		Objects: []workload.Object{{
			Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: "d", Dims: s.Dims(),
		}},
		Moves: []workload.Move{{Listed: true, Selection: s}},
	}
	p.Parts[workload.Write].Dumps = []workload.Dump{{Epochs: []workload.Epoch{{Steps: []workload.Step{
		{Batch: workload.Batch{Class: workload.FileOpen, Move: workload.NoMove}},
		{Batch: workload.Batch{Class: workload.Transfer, Count: 1}},
	}}}}}
	return p
}

// owners returns the ranks that write each element of a two-dimensional dataset.
func owners(dims []uint64, parts []pattern.Selection) [][]int {
	all := make([][]int, dims[0]*dims[1])
	for rank, s := range parts {
		for at, bytes := range s.Runs() {
			for i := at; i < at+bytes; i++ { // an element has one byte
				all[i] = append(all[i], rank)
			}
		}
	}
	return all
}

// sign returns the expected character for a part of a dataset.
func sign(dims []uint64, all [][]int, row, rows, column, columns uint64) string {
	found := map[int]bool{}
	for i := row; i < rows; i++ {
		for j := column; j < columns; j++ {
			for _, rank := range all[i*dims[1]+j] {
				found[rank] = true
			}
		}
	}
	switch len(found) {
	case 0:
		return "."
	case 1:
		for rank := range found {
			return fmt.Sprint(rank)
		}
	}
	return "#"
}

// axis parses the label of an axis and returns the number of drawn elements.
func axis(t *testing.T, label string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(regexp.MustCompile(`\d+`).FindString(label), 10, 64)
	if err != nil {
		t.Fatalf("label %q: %v", label, err)
	}
	return n
}

func TestEachCharacterShowsTheRanksThatWriteItsElements(t *testing.T) {
	for _, r := range []workload.Rule{
		{Name: workload.BlockRule},
		{Name: workload.SlabRule},
		{Name: workload.CyclicRule, Dim: 1, Length: 3},
		{Name: workload.CyclicRule, Dim: 0, Length: 2},
		{Name: workload.MapRule, Dim: 1, Length: 5, Seed: 3},
		{Name: workload.MapRule, Dim: 0, Length: 2, Seed: 1},
		{Name: workload.FrameRule, Width: 2},
		{Name: workload.CornersRule, Width: 3},
		{Name: workload.DiagonalRule, Width: 2},
		{Name: workload.SliceRule, Dim: 1, Index: 4},
		{Name: workload.RandomRule, Seed: 2},
		{Name: workload.SlabRule, Record: []uint64{2}},
	} {
		for _, dims := range [][]uint64{{8, 30}, {7, 100}, {200, 9}, {120, 330}, {400, 64}} {
			for _, ranks := range []uint64{1, 3, 4, 7} {
				name := fmt.Sprintf("%+v of %v, %d ranks", r, dims, ranks)
				var parts []pattern.Selection
				var programs []workload.Program
				for rank := range ranks {
					s, err := r.Selection(dims, 1, rank, ranks)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					parts, programs = append(parts, s), append(programs, program(s))
				}
				text := drawWriters(programs)
				if strings.Contains(text, " writes all of it") {
					continue
				}
				_, text, _ = strings.Cut(text, ":\n")
				comparePicture(t, name, text, dims, owners(dims, parts))
			}
		}
	}
}

// comparePicture compares a drawing with the owners of elements.
func comparePicture(t *testing.T, name, text string, dims []uint64, all [][]int) {
	t.Helper()
	cells := regexp.MustCompile(`\|([^|]+)\|(.*)`).FindAllStringSubmatch(text, -1)
	rows, columns := uint64(len(cells)), uint64(len(cells[0][1]))
	shown := []uint64{dims[0], dims[1]}
	if label := cells[0][2]; rows == 1 {
		if strings.Contains(label, "[:, *]") {
			rows, columns = columns, 1
			shown[0] = axis(t, label)
			column := make([][]string, rows)
			for i := range column {
				column[i] = []string{"", cells[0][1][i : i+1], ""}
			}
			cells = column
		} else {
			shown[1] = axis(t, label)
		}
	} else {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		shown[1] = axis(t, lines[0])
		shown[0] = axis(t, lines[len(lines)-1])
	}
	for i := range rows {
		for j := range columns {
			want := sign(dims, all, i*shown[0]/rows, (i+1)*shown[0]/rows, j*shown[1]/columns, (j+1)*shown[1]/columns)
			if got := cells[i][1][j : j+1]; got != want {
				t.Errorf("%s: row %d, column %d is %s, want %s\n%s", name, i, j, got, want, text)
				return
			}
		}
	}
}

func TestFilesAreToldWhereRanksHaveDifferentOnes(t *testing.T) {
	all, err := pattern.SelectEverything([]uint64{4, 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var programs []workload.Program
	for range 5 {
		programs = append(programs, program(all))
	}
	if got := fileOwners(programs); got != "f of all ranks" {
		t.Errorf("of one file: %s", got)
	}
	programs[0].Files[0].Name, programs[2].Files[0].Name = "even", "even"
	programs[4].Files[0].Name = "last"
	if got, want := fileOwners(programs), "even of ranks 0, 2; f of ranks 1, 3; last of rank 4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
