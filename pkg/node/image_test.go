package node

import (
	"testing"

	"h5perf/pkg/result"

	"github.com/google/go-cmp/cmp"
)

func TestImage(t *testing.T) {
	const build, labels = "usr/share/h5perf/image", ".singularity.d/labels.json"
	digest := func(name string) string {
		if name == "H5PERF_IMAGE_DIGEST" {
			return "sha256:abc"
		}
		return ""
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		getenv func(string) string
		want   *result.Image
	}{
		{"bare", nil, none, nil},
		{
			"its build",
			map[string]string{build: "build_id=0123abc+4567def\n"},
			none,
			&result.Image{Build: "0123abc+4567def"},
		},
		{
			"its digest",
			map[string]string{build: "build_id=0123abc+4567def\n"},
			digest,
			&result.Image{Build: "0123abc+4567def", Digest: "sha256:abc"},
		},
		{"of somebody else", map[string]string{labels: `{"org.label-schema.build-arch": "amd64"}`}, none, nil},
		{
			"a SIF",
			map[string]string{build: "build_id=a+b\n", labels: `{"h5perf.image.digest": "sha256:def"}`},
			none,
			&result.Image{Build: "a+b", Digest: "sha256:def"},
		},
		{
			"a SIF, told more",
			map[string]string{build: "build_id=a+b\n", labels: `{"h5perf.image.digest": "sha256:def"}`},
			digest,
			&result.Image{Build: "a+b", Digest: "sha256:abc"},
		},
		{"broken labels", map[string]string{build: "build_id=a+b\n", labels: "{"}, none, &result.Image{Build: "a+b"}},
	} {
		if d := cmp.Diff(c.want, readMachine(root(t, c.files), c.getenv).Image); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
}
