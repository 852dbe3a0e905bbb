package state

import (
	"errors"
	"fmt"
)

// maxTask bounds the ID of a task, in bytes: it stands in several indexes.
const maxTask = 1 << 10

var (
	errTaskLength = fmt.Errorf("the ID of a task has 1 to %d bytes", maxTask)
	errTaskText   = errors.New("the ID of a task is UTF-8 without NUL, and has nothing in it that looks like a secret")
)

// checkTask returns an error for what cannot be the ID of a task. Any other text can, and is kept
// exactly: masking could make one ID of two, and an ID that was masked would not be found again.
func checkTask(id string) error {
	switch {
	case id == "" || len(id) > maxTask:
		return errTaskLength
	case textMask(id) != id:
		return errTaskText
	}
	return nil
}
