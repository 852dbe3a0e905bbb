package workspace

import (
	"crypto/rand"
	"encoding/hex"
)

// restorePrefix begins the names of files that are being put back.
const restorePrefix = ".errgen-restore-"

// randomName returns a name that nothing has.
func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
