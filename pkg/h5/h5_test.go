//go:build cgo

package h5

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/units"

	"gonum.org/v1/hdf5"
)

func TestCheckTakesNewerReleasesOnly(t *testing.T) {
	v, err := hdf5.LibVersion()
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckVersion(); err != nil {
		t.Errorf("the headers do not fit the library: %v", err)
	}
	for _, c := range []struct {
		major, minor, release uint
		ok                    bool
	}{
		{v.Major, v.Minor, v.Release, true},
		{v.Major, v.Minor, 0, true},
		{v.Major, v.Minor, v.Release + 1, false},
		{v.Major, v.Minor + 2, 0, false},
		{v.Major + 1, v.Minor, v.Release, false},
		{v.Major - 1, v.Minor, v.Release, false},
	} {
		if err := checkVersion(c.major, c.minor, c.release); (err == nil) != c.ok {
			t.Errorf("library %v with headers %d.%d.%d: %v", v, c.major, c.minor, c.release, err)
		}
	}
}

func TestConfigurationIsThatOfTheLibraryInUse(t *testing.T) {
	found := map[string]string{}
	for _, kv := range Configuration() {
		found[kv.Key] = kv.Value
	}
	if found["HDF5 Version"] != Version() {
		t.Errorf("HDF5 Version %q in the configuration, library %s", found["HDF5 Version"], Version())
	}
	if found["Parallel HDF5"] == "" || found["Threadsafety"] == "" || found["C Compiler"] == "" {
		t.Errorf("configuration %v", found)
	}
	if name := filepath.Base(Library()); !strings.HasPrefix(name, "libhdf5") || strings.Contains(name, "_hl") {
		t.Errorf("library %s", Library())
	}
}

func TestSettings(t *testing.T) {
	file := "\x7fELF\x00...\x00\n\t SUMMARY OF THE HDF5 CONFIGURATION\n ====\n\nGeneral Information:\n-----\n" +
		"   HDF5 Version: 9.9.9\n  Byte sex: \n\nLanguages:\n------\n   C: yes\nFeatures:\n----\n" +
		"Dimension scales w/ new references: \n  Map (H5M) API: a: b\n\x00  Threadsafety: no\n"
	got := parseSettings([]byte(file))
	want := []units.KeyValue{
		{Key: "HDF5 Version", Value: "9.9.9"},
		{Key: "C", Value: "yes"},
		{Key: "Map (H5M) API", Value: "a: b"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("settings %v, want %v", got, want)
	}
	if got := parseSettings([]byte("no settings here:\nFeatures:\n a: b\n")); got != nil {
		t.Errorf("settings %v of a file without", got)
	}
}

func TestErrorsTellTheCauseFirstInOneLine(t *testing.T) {
	runtime.LockOSThread() // a thread-safe library has one error stack per thread
	defer runtime.UnlockOSThread()
	fapl, err := NewAccessList()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := fapl.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, err = CreateFile(filepath.Join(t.TempDir(), "missing", "x.h5"), nil, fapl)
	if err == nil {
		t.Fatal("a file in a missing directory")
	}
	text := err.Error()
	cause, call := strings.Index(text, "No such file or directory"), strings.LastIndex(text, "H5Fcreate: ")
	if !strings.HasPrefix(text, "H5Fcreate: ") || cause < 0 || call < cause || strings.ContainsAny(text, "\n\r\t") {
		t.Errorf("error %q", text)
	}
}

// Values beyond the mean length repeat the first ones.
func TestRepeatedValues(t *testing.T) {
	for text, is := range map[string]bool{"abca": true, "abcabca": true, "ab": true, "abcb": false, "abcabcb": false} {
		if isRepeated([]byte(text), 3) != is {
			t.Errorf("%s: want %v", text, is)
		}
	}
}

func TestWordsOfUnknownBits(t *testing.T) {
	got := strings.Join(namesOfBits(ioModes, 1<<4|1<<1|1<<20), " ")
	if want := "H5D_MPIO_CHUNK_INDEPENDENT H5D_MPIO_CONTIGUOUS_COLLECTIVE bit 20"; got != want {
		t.Errorf("words %q, want %q", got, want)
	}
}
