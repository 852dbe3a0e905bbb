package workspace

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
)

// newHash returns the hash by which git names a content of that many bytes, with its header written
// already.
func (g *Git) newHash(size int64) hash.Hash {
	h := sha1.New()
	if g.algo == "sha256" {
		h = sha256.New()
	}
	_, _ = io.WriteString(h, "blob "+strconv.FormatInt(size, 10)+"\x00")
	return h
}

// idOf returns git's name of b.
func (g *Git) idOf(b []byte) string {
	h := g.newHash(int64(len(b)))
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// errMoving says that a file changed while it was read.
var errMoving = errors.New("the file is being changed")

// buffers are for reading files.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// readTries is how often a file is read that changes meanwhile.
const readTries = 3

// hashFile returns the name of the content of a file and what was known of it when it was read.
func (g *Git) hashFile(name string) (id string, info fs.FileInfo, err error) {
	for range readTries {
		id, info, err = g.hashOnce(name)
		if !errors.Is(err, errMoving) {
			break
		}
	}
	return id, info, err
}

func (g *Git) hashOnce(name string) (string, fs.FileInfo, error) {
	f, info, err := openRegular(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	h := g.newHash(info.Size())
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, *buf)
	if err != nil {
		return "", nil, err
	}
	if n != info.Size() {
		return "", nil, &fs.PathError{Op: "read", Path: name, Err: errMoving}
	}
	return hex.EncodeToString(h.Sum(nil)), info, nil
}

// openRegular opens a file that must be a regular one.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errMoving}
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
