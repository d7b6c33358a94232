package provenance

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"h5perf/pkg/result"
)

// What an image says of itself, and how its digest is told to a program inside, which cannot find it out: by the variable, or
// in a SIF by the label, which its definition file takes over from the image that the SIF is made of.
const (
	imageFile      = "usr/share/h5perf/image" // a line build_id=COMMIT+HASH
	digestVariable = "H5PERF_IMAGE_DIGEST"
	labelsFile     = ".singularity.d/labels.json"
	digestLabel    = "h5perf.image.digest"
)

// image is the image that the files below root are of; nil where neither its build nor its digest is told.
func image(root string, getenv func(string) string) *result.Image {
	i := result.Image{
		Build:  firstValue(filepath.Join(root, imageFile), "=", "build_id"),
		Digest: cmp.Or(getenv(digestVariable), label(filepath.Join(root, labelsFile), digestLabel)),
	}
	if i == (result.Image{}) {
		return nil
	}
	return &i
}

// label is a label of a SIF, from the file in which it has them; "" where there is none.
func label(path, name string) string {
	text, err := os.ReadFile(path)
	var labels map[string]string
	if err != nil || json.Unmarshal(text, &labels) != nil {
		return ""
	}
	return labels[name]
}
