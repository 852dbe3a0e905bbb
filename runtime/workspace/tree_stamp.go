package workspace

import "time"

// stamp is what tells, without reading it, that a file is still as it was when id was computed.
type stamp struct {
	size, mtime, ctime int64
	inode, device      uint64
	mode               uint32
	id                 string
}

// Times of files are as exact as the clock tick of the kernel, or as the file system's own if they
// are whole seconds.
const (
	tick   = 100 * time.Millisecond
	coarse = 2 * time.Second
)

// settled reports whether a file that is changed after now is certain to get other times than the
// stamp's: a file that was changed just before it was read could be changed again within the same
// tick, with size and times staying the same.
func (s stamp) settled(now time.Time) bool {
	margin := tick
	if s.mtime%int64(time.Second) == 0 && s.ctime%int64(time.Second) == 0 {
		margin = coarse
	}
	before := now.Add(-margin).UnixNano()
	return s.mtime < before && s.ctime < before
}

// unchanged reports whether the file that s describes is the one that was read.
func (s stamp) unchanged(read stamp) bool {
	read.id = ""
	return s == read
}
