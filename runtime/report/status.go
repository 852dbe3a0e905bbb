package report

import (
	"strconv"

	"github.com/errgen/errgen/runtime/detect"
)

// statusIn returns the HTTP status that a message names as one, from 400 to 599; "" without one.
func statusIn(message string) string {
	status, ok := detect.StatusIn(message)
	if !ok {
		return ""
	}
	return strconv.Itoa(status)
}
