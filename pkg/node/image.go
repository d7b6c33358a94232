package node

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"h5perf/pkg/result"
)

// Files and variables that identify an image. A program inside cannot determine the digest of its image. The digest is
// passed in an environment variable or, in a SIF, as a label. The definition file of the SIF copies the label from the
// image that the SIF is made from.
const (
	imageFile      = "usr/share/h5perf/image" // has a line build_id=COMMIT+HASH
	digestVariable = "H5PERF_IMAGE_DIGEST"
	labelsFile     = ".singularity.d/labels.json"
	digestLabel    = "h5perf.image.digest"
)

// findImage describes the image with the root directory root. It returns nil if neither its build nor its digest is
// known.
func findImage(root string, getenv func(string) string) *result.Image {
	i := result.Image{
		Build:  firstValue(filepath.Join(root, imageFile), "=", "build_id"),
		Digest: cmp.Or(getenv(digestVariable), imageLabel(filepath.Join(root, labelsFile), digestLabel)),
	}
	if i == (result.Image{}) {
		return nil
	}
	return &i
}

// imageLabel reads a label from the file of labels of a SIF. It returns "" if there is no such label.
func imageLabel(path, name string) string {
	text, err := os.ReadFile(path)
	var labels map[string]string
	if err != nil || json.Unmarshal(text, &labels) != nil {
		return ""
	}
	return labels[name]
}
