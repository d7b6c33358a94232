package result

// BuildID returns the build id of the image. It returns "" for nil.
func (i *Image) BuildID() string {
	if i == nil {
		return ""
	}
	return i.Build
}
