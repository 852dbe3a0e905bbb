package filejournal

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	journalSuffix = ".journal"
	lockSuffix    = ".lock"
	holderSuffix  = ".holder"
	maxName       = 100
)

const nameExpected = "1 to 100 letters, digits, '-', '_' and '.', the first no '.'"

var errName = errors.New("a run cannot have this name")

// checkName returns an error for a name that a run cannot have, as one that would lead out of the directory.
func checkName(run string) error {
	named := run != "" && len(run) <= maxName && run[0] != '.' && isPlain(run)
	if !named || !filepath.IsLocal(run+journalSuffix) { // the name of a device is not local
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

// refusedName returns evidence that a run cannot have this name.
func refusedName(dir, run string, err error) *taxonomy.Evidence {
	ev := evidence(sourceExecutor, opPrepare, dir, err)
	ev.Text = "" // the attributes say it
	ev.Attributes["field"], ev.Attributes["value"], ev.Attributes["expected"] = "run", run, nameExpected
	return ev
}
