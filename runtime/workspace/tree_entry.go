package workspace

import (
	"io/fs"
	"strconv"
)

// The modes of entries, as git writes them; those of things that git does not know are the
// system's.
const (
	modeFile    = 0o100644
	modeExec    = 0o100755
	modeLink    = 0o120000
	modeDir     = 0o040000
	modePipe    = 0o010000 // never opened, as those below
	modeSocket  = 0o140000
	modeDevice  = 0o060000 // and what else there may be
	modeUnknown = 0
)

// place is where the content of an entry is.
type place uint8

const (
	inObjects place = iota // in git's object store
	inFiles                // in errgen's own directory, readable by the owner only
	notKept                // nowhere: it can be compared, but not put back
)

// entry is what is at a path. Entries are not changed once they are in a snapshot.
type entry struct {
	mode    uint32
	id      string // git's name of the content as it is; empty for what has none
	perm    fs.FileMode
	kept    place
	ignored bool
	git     bool // a file of git itself
}

// same reports whether both are the same to whoever judges. Of what is private all permissions
// count.
func (e *entry) same(o *entry) bool {
	if e == o {
		return true
	}
	if e == nil || o == nil || e.mode != o.mode || e.id != o.id {
		return false
	}
	return e.kept != inFiles || e.mode != modeFile || e.perm == o.perm
}

// hash identifies what is there; empty for nothing.
func (e *entry) hash() string {
	if e == nil {
		return ""
	}
	s := strconv.FormatUint(uint64(e.mode), 8)
	if e.id != "" {
		s += "-" + e.id
	}
	return s
}

func (e *entry) regular() bool { return e.mode == modeFile || e.mode == modeExec }

// content reports whether the entry is something that git can have.
func (e *entry) content() bool { return e.regular() || e.mode == modeLink }

// special reports whether the entry is something that has no content.
func (e *entry) special() bool {
	return e.mode == modePipe || e.mode == modeSocket || e.mode == modeDevice || e.mode == modeUnknown
}

// modeOf returns the mode of what info describes.
func modeOf(mode fs.FileMode) uint32 {
	switch {
	case mode.IsRegular() && mode&0o100 != 0:
		return modeExec
	case mode.IsRegular():
		return modeFile
	case mode&fs.ModeSymlink != 0:
		return modeLink
	case mode.IsDir():
		return modeDir
	case mode&fs.ModeNamedPipe != 0:
		return modePipe
	case mode&fs.ModeSocket != 0:
		return modeSocket
	}
	return modeDevice
}
