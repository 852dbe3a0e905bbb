package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// item is a file of a commit that is to be made.
type item struct {
	path string
	mode uint32
	id   string
	from string // where the content is read; empty when git has it
}

// store makes a commit of items, of whatever names, and returns its name. All of it is one git
// command, which reads nothing but what it is given.
func (g *Git) store(ctx context.Context, op string, items []item, message []byte, parents []string) (string, error) {
	if err := g.makeShadow(ctx, op); err != nil {
		return "", err
	}
	r, w := io.Pipe()
	feeding, cancel := context.WithCancel(ctx)
	defer cancel()
	fed := make(chan error, 1)
	go func() {
		err := g.feed(w, items, message, parents)
		if err != nil {
			cancel()
		}
		_ = w.CloseWithError(err)
		fed <- err
	}()
	out, err := g.git(feeding, call{op: op, shadow: true, stdin: r, args: []string{
		"fast-import", "--quiet", "--done", "--force", "--cat-blob-fd=1", "--depth=0",
	}})
	_ = r.CloseWithError(io.ErrClosedPipe)
	feedErr := <-fed
	if feedErr != nil && !errors.Is(feedErr, io.ErrClosedPipe) && ctx.Err() == nil {
		return "", g.unread(op, feedErr)
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !isID(id) {
		return "", fault(op, "git did not say what it has stored", nil, nil)
	}
	return id, nil
}

// unread returns evidence of a file that could not be read.
func (g *Git) unread(op string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fault(op, "", []string{g.relative(at.Path)}, err)
	}
	return fault(op, "", nil, err)
}

// The marks of fast-import. Blobs have those after the commit's.
const commitMark = 1

func (g *Git) feed(pipe io.Writer, items []item, message []byte, parents []string) error {
	w := bufio.NewWriterSize(pipe, 64<<10)
	mark := commitMark
	refs := make([]string, len(items))
	seen := map[string]string{}
	for i, it := range items {
		refs[i] = it.id
		if it.from == "" {
			continue
		}
		if ref, ok := seen[it.id]; ok {
			refs[i] = ref
			continue
		}
		mark++
		refs[i] = fmt.Sprintf(":%d", mark)
		seen[it.id] = refs[i]
		fmt.Fprintf(w, "blob\nmark %s\n", refs[i])
		if err := g.feedBlob(w, it); err != nil {
			return err
		}
	}
	fmt.Fprintf(
		w, "reset refs/errgen/new\n\ncommit refs/errgen/new\nmark :%d\ncommitter errgen <errgen> %d +0000\ndata %d\n",
		commitMark, time.Now().Unix(), len(message))
	_, _ = w.Write(message)
	_, _ = w.WriteString("\n")
	for _, p := range parents {
		fmt.Fprintf(w, "merge %s\n", p)
	}
	for i, it := range items {
		fmt.Fprintf(w, "M %o %s %s\n", it.mode, refs[i], quotePath(it.path))
	}
	fmt.Fprintf(w, "\nget-mark :%d\ndone\n", commitMark)
	return w.Flush()
}

// feedBlob writes the content of an item, which must still be the one that was seen.
func (g *Git) feedBlob(w io.Writer, it item) error {
	if it.mode == modeLink {
		target, err := os.Readlink(it.from)
		if err != nil {
			return err
		}
		if g.idOf([]byte(target)) != it.id {
			return &fs.PathError{Op: "read", Path: it.from, Err: errMoving}
		}
		_, err = fmt.Fprintf(w, "data %d\n%s\n", len(target), target)
		return err
	}
	f, info, err := openRegular(it.from)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintf(w, "data %d\n", info.Size()); err != nil {
		return err
	}
	if err := g.copyChecked(w, f, it.from, info.Size(), it.id); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// copyChecked copies a content of that many bytes and fails unless it has that name.
func (g *Git) copyChecked(w io.Writer, r io.Reader, name string, size int64, id string) error {
	h := g.newHash(size)
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(r, size))
	if err != nil {
		return err
	}
	if n != size || fmt.Sprintf("%x", h.Sum(nil)) != id {
		return &fs.PathError{Op: "read", Path: name, Err: errMoving}
	}
	return nil
}

// quotePath quotes a path as fast-import reads it.
func quotePath(p string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(p) + `"`
}
