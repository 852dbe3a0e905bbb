package workspace

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Directories of errgen are the owner's only, and so is every file in them.
const (
	privateDir  = 0o700
	privateFile = 0o600
)

func (g *Git) runDir(run string) string  { return filepath.Join(g.home, "runs", refPart(run)) }
func (g *Git) keptDir(run string) string { return filepath.Join(g.runDir(run), "kept") }
func (g *Git) savedDir(run, attempt string) string {
	return filepath.Join(g.home, "saved", refPart(run), attempt)
}

// refPart returns the name of a run as it can be part of a reference.
func refPart(run string) string {
	if strings.HasPrefix(run, ".") || strings.HasSuffix(run, ".") || strings.HasSuffix(run, ".lock") ||
		strings.Contains(run, "..") {
		return strings.ReplaceAll(run, ".", "%2E")
	}
	return run
}

// checkRun refuses names that cannot be part of a reference.
func checkRun(op, run string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	if run == "" || len(run) > 100 || strings.Trim(run, letters) != "" {
		return fault(op, "not the name of a run: "+text.Quote(run, maxQuoted), nil, nil)
	}
	return nil
}

// keep copies what is kept apart from git's objects, and gives up what is too much.
func (g *Git) keep(ctx context.Context, op string, s *snapshot, changed []string) error {
	dir := g.keptDir(s.run)
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return fault(op, "", nil, err)
	}
	left := g.opts.KeepLimit
	for _, p := range changed {
		e := s.entries[p]
		if e == nil || e.kept != inFiles {
			continue
		}
		if err := ctx.Err(); err != nil {
			return ended(ctx)
		}
		limit := int64(-1)
		if e.ignored {
			limit = left
		}
		n, err := g.keepFile(filepath.Join(dir, e.id), g.where(p), e, limit)
		if err != nil {
			return fault(op, "", []string{p}, err)
		}
		if n < 0 {
			e.kept = notKept
		} else if e.ignored {
			left -= n
		}
	}
	return nil
}

// keepFile copies the content of an entry and returns its size, or -1 if that is over the limit; -1
// is no limit.
func (g *Git) keepFile(to, from string, e *entry, limit int64) (int64, error) {
	if e.mode == modeLink {
		target, err := os.Readlink(from)
		if err != nil {
			return 0, err
		}
		return int64(len(target)), writePrivate(to, func(w io.Writer) error {
			return g.copyChecked(w, strings.NewReader(target), from, int64(len(target)), e.id)
		})
	}
	f, info, err := openRegular(from)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if limit >= 0 && info.Size() > limit {
		return -1, nil
	}
	if old, err := os.Stat(to); err == nil && old.Size() == info.Size() {
		return info.Size(), nil
	}
	return info.Size(),
		writePrivate(to, func(w io.Writer) error { return g.copyChecked(w, f, from, info.Size(), e.id) })
}

// writePrivate writes a file of errgen's own: wholly or not at all.
func writePrivate(name string, write func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), privateDir); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*") // with the owner's permissions only
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}

// openKept opens a kept content. Whoever reads it to the end compares its name.
func (g *Git) openKept(run string, e *entry) (*os.File, int64, error) {
	f, info, err := openRegular(filepath.Join(g.keptDir(run), e.id))
	if err != nil {
		return nil, 0, fmt.Errorf("read what was kept: %w", err)
	}
	return f, info.Size(), nil
}

// copyTree copies a directory for safekeeping: files and symbolic links, nothing else.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, privateDir)
		case d.Type()&fs.ModeSymlink != 0:
			return copyLink(target, name)
		case d.Type().IsRegular():
			return copyFile(target, name)
		}
		return nil
	})
}

// copyLink keeps where a link leads as a file, so that nobody follows it.
func copyLink(to, from string) error {
	link, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return writePrivate(to, func(w io.Writer) error {
		_, err := io.WriteString(w, link)
		return err
	})
}

func copyFile(to, from string) error {
	f, _, err := openRegular(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return writePrivate(to, func(w io.Writer) error {
		_, err := io.Copy(w, struct{ io.Reader }{f})
		return err
	})
}
