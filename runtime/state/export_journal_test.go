package state

import (
	"crypto/sha256"

	"github.com/errgen/errgen/runtime/executor"
)

// Forget has a journal not know that its last entry was written.
func Forget(j executor.Journal) {
	own := j.(*journal)
	own.entries--
	own.last = [sha256.Size]byte{}
}
