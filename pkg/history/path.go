package history

import (
	"path/filepath"
	"regexp"
	"strings"

	"h5perf/pkg/result"
)

// Path returns the path of a document in a tree of results: dir/CLUSTER/FILESYSTEM/LABEL/RUN_ID.json. Run
// ids begin with the time in UTC, so names in a directory sort by time, and no two runs have the same name.
// Names hold letters, digits, dots, hyphens and underscores only; the exact identity is in the document,
// not in its path.
func Path(dir string, doc result.Document) string {
	i := doc.Identity
	return filepath.Join(dir, safe(i.Cluster), safe(i.Filesystem), safe(i.Label), safe(doc.RunID)+suffix)
}

// unsafe matches what a directory's name must not hold.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// longest is the greatest length of a name, in bytes. Every file system takes as many.
const longest = 100

// safe returns a directory's name for any text: mnt-scratch for /mnt/scratch, and root for /.
func safe(text string) string {
	name := strings.TrimLeft(unsafe.ReplaceAllString(text, "-"), "-.")
	if name == "" {
		return "root"
	}
	return name[:min(len(name), longest)]
}
