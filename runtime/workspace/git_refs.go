package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// refState is where HEAD and the references point, read without running git. A value is the name of
// an object, or "ref: " and a name.
type refState struct {
	Head raw         `json:"head"`
	Refs rawMap[raw] `json:"refs"`

	locks []string // of references
}

// foreign are references that others move while a run goes on: ours, and those that a fetch brings.
var foreign = []string{"refs/errgen/", "refs/remotes/", "refs/prefetch/", "refs/bisect/", "refs/worktree/",
	"refs/rewritten/"}

func isForeign(ref string) bool {
	return slices.ContainsFunc(foreign, func(prefix string) bool { return strings.HasPrefix(ref, prefix) })
}

// readRefs reads HEAD and all references that count.
func (g *Git) readRefs() (refState, error) {
	st := refState{Refs: map[raw]raw{}}
	head, err := readLine(filepath.Join(g.dir, "HEAD"))
	if err != nil && !missing(err) {
		return st, err
	}
	st.Head = raw(head)
	if err := g.packedRefs(st.Refs); err != nil {
		return st, err
	}
	base := filepath.Join(g.common, "refs")
	err = filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if missing(err) {
				return nil
			}
			return err
		}
		rel, err := filepath.Rel(g.common, name)
		if err != nil {
			return err
		}
		ref := filepath.ToSlash(rel)
		if d.IsDir() {
			if isForeign(ref + "/") {
				return fs.SkipDir
			}
			return nil
		}
		if isForeign(ref) {
			return nil
		}
		if strings.HasSuffix(ref, ".lock") {
			st.locks = append(st.locks, name)
			return nil
		}
		value, err := readLine(name)
		if err == nil {
			st.Refs[raw(ref)] = raw(value)
		} else if !missing(err) {
			return err
		}
		return nil
	})
	return st, err
}

// packedRefs adds the references of packed-refs, which those in files of their own outweigh.
func (g *Git) packedRefs(refs map[raw]raw) error {
	b, err := os.ReadFile(filepath.Join(g.common, "packed-refs"))
	if err != nil {
		if missing(err) {
			return nil
		}
		return err
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		id, ref, ok := strings.Cut(line, " ")
		if ok && isID(id) && !isForeign(ref) {
			refs[raw(ref)] = raw(id)
		}
	}
	return nil
}

// maxRef is how long the file of a reference may be.
const maxRef = 64 << 10

var errLong = errors.New("too long to be a reference")

// readLine returns what a short file says.
func readLine(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 { // as old versions of git wrote references to others
		target, err := os.Readlink(name)
		return "ref: " + filepath.ToSlash(target), err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRef {
		return "", &fs.PathError{Op: "read", Path: name, Err: errLong}
	}
	b, err := os.ReadFile(name)
	return strings.TrimRight(string(b), " \t\r\n"), err
}

// branch returns the reference that HEAD stands for; "HEAD" itself when it is detached.
func (r refState) branch() string {
	if ref, ok := strings.CutPrefix(string(r.Head), "ref:"); ok {
		return strings.TrimSpace(ref)
	}
	return "HEAD"
}

// commit returns the commit that HEAD stands for; "" when there is none yet.
func (r refState) commit() string {
	ref := r.branch()
	if ref == "HEAD" {
		return string(r.Head)
	}
	return string(r.Refs[raw(ref)])
}

// at returns where a reference, or HEAD, points.
func (r refState) at(ref string) raw {
	if ref == "HEAD" {
		return r.Head
	}
	return r.Refs[raw(ref)]
}

// move makes a reference, or HEAD, point to a commit.
func (r *refState) move(ref, id string) {
	if ref == "HEAD" {
		r.Head = raw(id)
	} else {
		r.Refs[raw(ref)] = raw(id)
	}
}

// others returns the branches that other working trees of the repository are on. Others move those.
func (g *Git) others() map[raw]struct{} {
	heads, _ := filepath.Glob(filepath.Join(escapeGlob(g.common), "worktrees", "*", "HEAD"))
	heads = append(heads, filepath.Join(g.common, "HEAD"))
	own := filepath.Join(g.dir, "HEAD")
	out := map[raw]struct{}{}
	for _, name := range heads {
		if name == own {
			continue
		}
		value, err := readLine(name)
		if err != nil {
			continue
		}
		if ref := (refState{Head: raw(value)}).branch(); ref != "HEAD" {
			out[raw(ref)] = struct{}{}
		}
	}
	return out
}

// escapeGlob makes a path a pattern of itself.
func escapeGlob(p string) string {
	if os.PathSeparator == '\\' {
		return p
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

var errRefExists = errors.New("the reference exists")

// writeRef makes a reference of errgen's own point to a commit, as git does it: under a lock, and
// at once. With fresh it must not exist.
func (g *Git) writeRef(ref, id string, fresh bool) (err error) {
	name := filepath.Join(g.common, filepath.FromSlash(ref))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(name + ".lock")
		}
	}()
	_, err = f.WriteString(id + "\n")
	if serr := f.Sync(); err == nil {
		err = serr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && fresh {
		err = g.refAbsent(ref)
	}
	if err != nil {
		return err
	}
	return os.Rename(name+".lock", name)
}

// refAbsent returns errRefExists when there is such a reference.
func (g *Git) refAbsent(ref string) error {
	if _, err := os.Lstat(filepath.Join(g.common, filepath.FromSlash(ref))); err == nil {
		return errRefExists
	}
	b, err := os.ReadFile(filepath.Join(g.common, "packed-refs"))
	if err != nil {
		if missing(err) {
			return nil
		}
		return err
	}
	if strings.Contains(string(b), " "+ref+"\n") {
		return errRefExists
	}
	return nil
}
