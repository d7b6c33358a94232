package doctor

import (
	"h5perf/pkg/result"
)

// CheckContainer returns a check whose finding names the container in which the process runs. Its verdict is always OK.
func CheckContainer(m result.Machine) Check {
	c := Check{Name: "container", Verdict: OK, Finding: "none detected"}
	switch {
	case m.Container != "":
		c.Finding = m.Container
	case m.Image != nil:
		c.Finding = "container of unknown kind"
	}
	if m.Image == nil {
		return c
	}
	if m.Image.Build != "" {
		c.Finding += ", image build " + m.Image.Build
	}
	if m.Image.Digest != "" {
		c.Finding += ", digest " + m.Image.Digest
	} else {
		c.Advice = "set H5PERF_IMAGE_DIGEST to the digest of the image, so that documents record it"
	}
	return c
}
