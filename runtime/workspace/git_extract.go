package workspace

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// tempDir makes a directory of errgen's own for a while.
func (g *Git) tempDir(op string) (string, error) {
	base := filepath.Join(g.home, "tmp")
	err := os.MkdirAll(base, privateDir)
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp(base, "")
	}
	if err != nil {
		return "", fault(op, "", []string{base}, err)
	}
	return dir, nil
}

// extract writes objects into a directory, by their names, all with one git command. Those that are
// missing are left out. The caller removes the directory.
func (g *Git) extract(ctx context.Context, op string, ids []string) (dir string, err error) {
	if dir, err = g.tempDir(op); err != nil {
		return "", err
	}
	if len(ids) == 0 {
		return dir, nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if err = g.makeShadow(ctx, op); err == nil {
		err = g.extractTo(ctx, op, dir, ids)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

func (g *Git) extractTo(ctx context.Context, op, dir string, ids []string) error {
	r, w := io.Pipe()
	read := make(chan error, 1)
	go func() {
		err := extractAll(bufio.NewReaderSize(r, 64<<10), dir, len(ids))
		_ = r.CloseWithError(err)
		read <- err
	}()
	_, err := g.git(ctx, call{
		op: op, shadow: true, out: w, stdin: strings.NewReader(strings.Join(ids, "\n") + "\n"),
		args: []string{"cat-file", "--batch"},
	})
	_ = w.Close()
	readErr := <-read
	if err != nil {
		return err
	}
	if readErr != nil {
		return fault(op, "read from git's object store", nil, readErr)
	}
	return nil
}

var errBatch = errors.New("git cat-file said something unexpected")

// extractAll reads what cat-file --batch writes.
func extractAll(r *bufio.Reader, dir string, n int) error {
	for range n {
		line, err := r.ReadString('\n')
		if err != nil {
			return io.ErrUnexpectedEOF
		}
		f := strings.Fields(line)
		if len(f) == 2 && f[1] == "missing" {
			continue // whoever needs it says for which path
		}
		if len(f) != 3 || f[1] != "blob" || !isID(f[0]) {
			return errBatch
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return errBatch
		}
		err = writePrivate(filepath.Join(dir, f[0]), func(w io.Writer) error {
			_, err := io.CopyN(w, r, size)
			return err
		})
		if err != nil {
			return err
		}
		if _, err := r.Discard(1); err != nil {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}
