package history

import (
	"path/filepath"
	"regexp"
	"strings"

	"h5perf/pkg/result"
)

// DocumentPath returns the path of a document in a tree of results: dir/CLUSTER/FILESYSTEM/LABEL/RUN_ID.json. Run
// ids begin with the time in UTC, so names in a directory sort by time, and no two runs have the same name.
// Names hold letters, digits, dots, hyphens and underscores only; the exact identity is in the document,
// not in its path.
func DocumentPath(dir string, doc result.Document) string {
	i := doc.Identity
	return filepath.Join(dir, safeFileName(i.Cluster), safeFileName(i.Filesystem), safeFileName(i.Label),
		safeFileName(doc.RunID)+documentSuffix)
}

// unsafeCharacters matches what a directory's name must not hold.
var unsafeCharacters = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// maxNameBytes is the greatest length of a name, in bytes. Every file system takes as many.
const maxNameBytes = 100

// safeFileName returns a directory's name for any text: mnt-scratch for /mnt/scratch, and root for /.
func safeFileName(text string) string {
	name := strings.TrimLeft(unsafeCharacters.ReplaceAllString(text, "-"), "-.")
	if name == "" {
		return "root"
	}
	return name[:min(len(name), maxNameBytes)]
}
