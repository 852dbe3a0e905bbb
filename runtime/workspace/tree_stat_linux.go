package workspace

import (
	"io/fs"
	"syscall"
)

// stampOf returns what the system says about a file without reading it, and whether that tells
// every change of it: the time of the last change of the inode cannot be set by programs.
func stampOf(info fs.FileInfo) (stamp, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{
		size: s.Size, mtime: s.Mtim.Nano(), ctime: s.Ctim.Nano(), inode: s.Ino,
		device: uint64(s.Dev), mode: uint32(s.Mode), //nolint:unconvert // differs by architecture
	}, true
}
