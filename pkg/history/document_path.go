package history

import (
	"path/filepath"
	"regexp"
	"strings"

	"h5perf/pkg/result"
)

// DocumentPath returns the path of a document in a tree of results: dir/CLUSTER/FILESYSTEM/LABEL/RUN_ID.json. Run ids
// begin with the time in UTC, so the files in a directory sort by time. No two runs have the same file name. Names
// contain only letters, digits, dots, hyphens and underscores. The exact identity is in the document, not in its path.
func DocumentPath(dir string, doc result.Document) string {
	i := doc.Identity
	return filepath.Join(dir, safeFileName(i.Cluster), safeFileName(i.Filesystem), safeFileName(i.Label),
		safeFileName(doc.RunID)+documentSuffix)
}

// unsafeCharacters matches characters that file names in a tree must not contain.
var unsafeCharacters = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// maxNameBytes is the maximum length of a name in bytes. Every file system allows that many.
const maxNameBytes = 100

// safeFileName converts any text to a file name: /mnt/scratch to mnt-scratch, and / to root.
func safeFileName(text string) string {
	name := strings.TrimLeft(unsafeCharacters.ReplaceAllString(text, "-"), "-.")
	if name == "" {
		return "root"
	}
	return name[:min(len(name), maxNameBytes)]
}
