//go:build cgo

package crash

import "C"
