//go:build unix

package gittree

import (
	"errors"
	"io/fs"
	"reflect"
	"syscall"
)

// changeMark returns what identifies a version of a file: its change time and its inode.
func changeMark(info fs.FileInfo) any {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime()
	}
	v := reflect.ValueOf(*st)
	changed := v.FieldByName("Ctim") // Ctimespec on Darwin and some BSDs
	if !changed.IsValid() {
		changed = v.FieldByName("Ctimespec")
	}
	return [2]any{changed, st.Ino}
}

func isNotDir(err error) bool      { return errors.Is(err, syscall.ENOTDIR) }
func isOtherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
