package node

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"h5perf/pkg/result"
)

// How an image identifies itself. A program inside cannot determine the digest of its image; it is passed
// in a variable or, in a SIF, as a label that the definition file copies from the image from which the SIF
// is made.
const (
	imageFile      = "usr/share/h5perf/image" // holds a line build_id=COMMIT+HASH
	digestVariable = "H5PERF_IMAGE_DIGEST"
	labelsFile     = ".singularity.d/labels.json"
	digestLabel    = "h5perf.image.digest"
)

// findImage returns the image whose files are below root, or nil if neither its build nor its digest is known.
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

// imageLabel returns a label of a SIF from its file of labels, or "" if there is none.
func imageLabel(path, name string) string {
	text, err := os.ReadFile(path)
	var labels map[string]string
	if err != nil || json.Unmarshal(text, &labels) != nil {
		return ""
	}
	return labels[name]
}
