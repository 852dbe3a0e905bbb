package hold

import (
	"errors"
	"path/filepath"
	"strings"
)

const maxName = 100

// NameExpected says which names [CheckName] accepts.
const NameExpected = "1 to 100 letters, digits, '-', '_' and '.', the first no '.'"

var errName = errors.New("a run cannot have this name")

// CheckName returns an error for a name that a run cannot have, as one that would lead out of a
// directory.
func CheckName(run string) error {
	named := run != "" && len(run) <= maxName && run[0] != '.' && isPlain(run)
	if !named || !filepath.IsLocal(run+lockSuffix) { // the name of a device is not local
		return errName
	}
	return nil
}

func isPlain(run string) bool {
	return strings.IndexFunc(run, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && !('0' <= r && r <= '9') && r != '-' && r != '_' && r != '.'
	}) < 0
}
