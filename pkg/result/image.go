package result

// BuildID is the build id of the image; "" of none.
func (i *Image) BuildID() string {
	if i == nil {
		return ""
	}
	return i.Build
}
