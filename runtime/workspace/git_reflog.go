package workspace

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Reflogs know of commits that nothing else knows of. They only grow, unless somebody has them
// expire. What they said when the run began is put back in front of what has come since, and the
// commits are kept for as long as the run needs them.

// logCopy is what a reflog said when the run began.
type logCopy struct {
	Size int64  `json:"size"`
	ID   string `json:"id"`
	Perm uint32 `json:"perm"`
}

const (
	maxLogs     = 500     // reflogs that are kept
	maxLog      = 8 << 20 // bytes of one
	maxLogged   = 500     // commits that only reflogs know of
	maxLogAsked = 5000
)

func (g *Git) logCopy(run, ref string) string {
	return filepath.Join(g.quietDir(run), "log-"+g.idOf([]byte(ref)))
}

// logOf returns the directory below which the reflog of a reference is, and its name there.
func (g *Git) logOf(ref string) (base, name string) {
	if ref == "HEAD" {
		return g.dir, filepath.Join("logs", "HEAD")
	}
	return g.common, filepath.Join("logs", filepath.FromSlash(ref))
}

// loggedRefs returns HEAD and the branches, the current one first.
func loggedRefs(st *state) []string {
	refs := []string{"HEAD"}
	if b := st.Git.branch(); b != "HEAD" {
		refs = append(refs, b)
	}
	for _, ref := range slices.Sorted(maps.Keys(st.Git.Refs)) {
		if strings.HasPrefix(string(ref), "refs/heads/") && !slices.Contains(refs[:min(len(refs), 2)], string(ref)) {
			refs = append(refs, string(ref))
		}
	}
	return refs[:min(len(refs), maxLogs)]
}

// readLog reads a reflog; nil is none, or one that is too long.
func (g *Git) readLog(ref string) ([]byte, fs.FileInfo, error) {
	base, name := g.logOf(ref)
	f, info, err := openRegular(filepath.Join(base, name))
	if err != nil {
		if missing(err) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > maxLog {
		return nil, info, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxLog))
	return b, info, err
}

// copyLogs remembers the reflogs. One that cannot be read is not put back.
func (g *Git) copyLogs(op string, st *state) error {
	st.Logs = rawMap[logCopy]{}
	for _, ref := range loggedRefs(st) {
		b, info, err := g.readLog(ref)
		if err != nil || len(b) == 0 {
			continue
		}
		err = writePrivate(g.logCopy(st.Run, ref), func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		if err != nil {
			return fault(op, "remember the reflog of "+text.Quote(ref, maxQuoted), nil, err)
		}
		st.Logs[raw(ref)] = logCopy{Size: int64(len(b)), ID: g.idOf(b), Perm: uint32(info.Mode().Perm())}
	}
	return nil
}

// putLogsBack puts back what is not in the reflogs any more. The log of a reference that is gone
// comes back with it.
func (g *Git) putLogsBack(op string, st *state) error {
	if len(st.Logs) == 0 {
		return nil
	}
	for ref, was := range st.Logs {
		if g.logIsWhole(string(ref), was) {
			continue
		}
		if err := g.putLogBack(st, string(ref), was); err != nil {
			return fault(op, "write the reflog of "+text.Quote(string(ref), maxQuoted), nil, err)
		}
	}
	return nil
}

// logIsWhole reports whether a reflog begins with what it said.
func (g *Git) logIsWhole(ref string, was logCopy) bool {
	base, name := g.logOf(ref)
	info, err := os.Lstat(filepath.Join(base, name))
	if err != nil || !info.Mode().IsRegular() || info.Size() < was.Size {
		return false
	}
	now, ok := stampOf(info)
	now.id = was.ID
	if ok && g.wholeLogs[ref] == now {
		return true
	}
	began := time.Now()
	f, _, err := openRegular(filepath.Join(base, name))
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, was.Size)
	if _, err := io.ReadFull(f, b); err != nil || g.idOf(b) != was.ID {
		return false
	}
	if ok && now.settled(began) {
		g.wholeLogs[ref] = now
	}
	return true
}

func (g *Git) putLogBack(st *state, ref string, was logCopy) error {
	base, name := g.logOf(ref)
	file := filepath.Join(base, filepath.FromSlash(ref))
	if _, err := os.Lstat(file + ".lock"); err == nil {
		return nil // a git command writes it, or has been killed
	}
	if ref != "HEAD" && g.refAbsent(ref) == nil {
		return nil
	}
	text, err := readIndexFile(g.logCopy(st.Run, ref))
	if err != nil {
		return err
	}
	if g.nameOfIndex(text) != was.ID {
		return nil // the copy was destroyed
	}
	now, info, err := g.readLog(ref)
	if err != nil || info != nil && now == nil {
		return err
	}
	return writeLog(base, name, append(text, newLines(text, now)...), fs.FileMode(was.Perm))
}

// newLines returns the lines of now that was does not have.
func newLines(was, now []byte) []byte {
	known := map[string]struct{}{}
	for line := range bytes.Lines(was) {
		known[string(line)] = struct{}{}
	}
	var out []byte
	for line := range bytes.Lines(now) {
		if !has(known, string(line)) {
			out = append(out, line...)
		}
	}
	return out
}

// writeLog writes a file below a directory, wholly or not at all. No symbolic link is followed.
func writeLog(base, name string, text []byte, perm fs.FileMode) (err error) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := realParents(root, name); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(name), restorePrefix+randomName())
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|privateFile)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// loggedOnly returns the newest of the commits that only reflogs know of. What cannot be found out
// is none.
func (g *Git) loggedOnly(ctx context.Context, st *state, alive []string) []string {
	var in bytes.Buffer
	asked := setOf(alive)
	for _, ref := range loggedRefs(st) {
		b, _, err := g.readLog(ref)
		if err != nil {
			continue
		}
		lines := slices.Collect(strings.Lines(string(b)))
		for _, line := range slices.Backward(lines) {
			if f := strings.Fields(line); len(f) > 1 && isID(f[1]) && !has(asked, f[1]) && len(asked) < maxLogAsked {
				asked[f[1]] = struct{}{}
				in.WriteString(f[1] + "\n")
			}
		}
	}
	if in.Len() == 0 || g.makeShadow(ctx, opPrepare) != nil {
		return nil
	}
	for _, id := range alive {
		in.WriteString("^" + id + "\n")
	}
	out, err := g.git(ctx, call{op: opPrepare, shadow: true, stdin: &in, args: []string{
		"rev-list", "--parents", "--ignore-missing", "--max-count=100000", "--stdin",
	}})
	if err != nil {
		return nil
	}
	return tips(string(out))
}

// tips returns the commits of a list with parents that are parents of none of it.
func tips(list string) []string {
	parents := map[string]struct{}{}
	var ids []string
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if !has(parents, f[0]) && isID(f[0]) { // parents come later than their children
			ids = append(ids, f[0])
		}
		for _, p := range f[1:] {
			parents[p] = struct{}{}
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return has(parents, id) })
	return ids[:min(len(ids), maxLogged)]
}
