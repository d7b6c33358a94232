package history

import (
	"path/filepath"
	"regexp"
	"strings"

	"h5perf/pkg/result"
)

// Path is where a tree of results keeps a document: dir/CLUSTER/FILESYSTEM/LABEL/RUN_ID.json. Run ids begin with the time in
// UTC, so that the names within a series sort by time, and no two runs have the same. The document itself, not the path,
// tells the identity: names of directories hold letters, digits, dots, hyphens and underscores only.
func Path(dir string, doc result.Document) string {
	i := doc.Identity
	return filepath.Join(dir, safe(i.Cluster), safe(i.Filesystem), safe(i.Label), safe(doc.RunID)+suffix)
}

// unsafe is what may not stand in the name of a directory; longest is what every file system takes.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

const longest = 100

// safe makes one name for a directory of any text: /mnt/scratch becomes mnt-scratch, and / root.
func safe(text string) string {
	name := strings.TrimLeft(unsafe.ReplaceAllString(text, "-"), "-.")
	if name == "" {
		return "root"
	}
	return name[:min(len(name), longest)]
}
