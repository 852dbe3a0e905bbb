package gittree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Clone configures a private clone.
type Clone struct {
	// Dir is the directory of the clone. Its parent must exist, and it must be missing or empty.
	Dir string
	// Copy are ignored files and directories, such as ".env", that are copied into the clone.
	Copy []string
	// Link are ignored files and directories, such as "node_modules", that are linked: changes of
	// them are changes of the user's.
	Link []string
	// Setup is a command, and its arguments, that completes the clone. If it fails, the clone is
	// removed.
	Setup []string
	// Options are those of the clone.
	Options Options
}

// originFile is in the clone's git directory, and contains the path of the user's working tree and
// the run.
const originFile = "errgen-origin"

func (s *Space) origin() string { return s.root + "\n" + s.run }

// clonedConfig are the settings of the user's repository that commits depend on.
var clonedConfig = []string{"user.", "commit.", "gpg.", "filter.", "lfs.", "core.autocrlf", "core.eol",
	"core.ignorecase", "core.filemode", "core.symlinks", "core.attributesfile", "core.precomposeunicode", "i18n."}

// OpenClone opens a private clone for a run. The clone begins with the files of the working tree
// that dir is in, committed or not. The first call makes the clone, another one continues with it.
// The working tree is free for people and other runs. Deliver of user brings the result back.
func OpenClone(ctx context.Context, dir, run string, c Clone) (clone, user *Space, err error) {
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, nil, fault(typeClone, "", err, c.Dir)
	}
	user, err = locate(ctx, dir, run, c.Options)
	if err != nil {
		return nil, nil, err
	}
	if err := user.take(ctx, user.common, run, "the run "+run); err != nil {
		return nil, nil, user.evidence(err, nil)
	}
	err = user.prepare(ctx, c.Dir)
	if err == nil {
		err = user.makeClone(ctx, c)
	}
	if err == nil {
		clone, err = Open(ctx, c.Dir, run, c.Options)
	}
	if err != nil {
		return nil, nil, errors.Join(user.evidence(err, nil), user.Discard())
	}
	return clone, user, nil
}

// makeClone makes the clone unless it is complete. It makes the clone in a directory beside its
// place, so that no incomplete clone is there after a crash.
func (s *Space) makeClone(ctx context.Context, c Clone) error {
	if s.state.Cloned {
		return nil
	}
	m := &cloner{Space: s, Clone: c, dir: c.Dir + ".new"}
	defer func() {
		_ = os.RemoveAll(m.dir)
		s.seal = s.marks()
	}()
	steps := []func(context.Context) error{m.initialise, m.configure, m.branch, m.files, m.ignored, m.place, m.setup}
	origin, err := os.ReadFile(filepath.Join(c.Dir, ".git", originFile))
	if err == nil && string(origin) == s.origin() {
		steps = steps[len(steps)-1:]
	}
	for _, step := range steps {
		beforeStep("clone")
		if err := step(ctx); err != nil {
			return fault(typeClone, "make the clone", err, c.Dir)
		}
	}
	s.state.Cloned = true
	return s.saveState()
}

// cloner makes a clone.
type cloner struct {
	*Space
	Clone
	dir  string // where the clone is made
	head string // the user's last commit; "" before the first one
}

func (m *cloner) gitDir() string { return filepath.Join(m.dir, ".git") }

// git runs git in the clone.
func (m *cloner) git(ctx context.Context, args ...string) error {
	_, err := m.users(ctx, command{dir: m.dir, env: []string{"GIT_DIR=" + m.gitDir()}}, args...)
	return err
}

// initialise makes the repository and its objects. They are linked and do not depend on the user's
// repository, unless the file system has no links.
func (m *cloner) initialise(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(m.dir), atomicfile.MakeDir(m.gitDir())); err != nil {
		return err
	}
	if err := m.git(ctx, "init", "-q", "--template=", "--object-format="+m.state.Format); err != nil {
		return err
	}
	linked, err := link(m.objects(), filepath.Join(m.gitDir(), "objects"))
	if err != nil {
		return err
	}
	alternates := m.alternates()
	if !linked {
		alternates += m.objects() + "\n"
	}
	return os.WriteFile(filepath.Join(m.gitDir(), "objects", "info", "alternates"), []byte(alternates), 0o600)
}

// configure copies the settings on which commits depend. The clone has no remotes.
func (m *cloner) configure(ctx context.Context) error {
	entries, err := m.list(ctx, command{in: inUsers, args: []string{"config", "--local", "--list", "-z"}})
	if err != nil {
		return err
	}
	for _, entry := range entries {
		key, value, _ := strings.Cut(entry, "\n")
		for _, prefix := range clonedConfig {
			if strings.HasPrefix(key, prefix) {
				if err := m.git(ctx, "config", "--add", key, value); err != nil {
					return err
				}
			}
		}
	}
	// The exclusions contain those of a core.excludesFile that only the user's repository has.
	exclude := filepath.Join(m.gitDir(), "info", "exclude")
	err = errors.Join(os.MkdirAll(filepath.Dir(exclude), 0o777), os.WriteFile(exclude, []byte(m.state.Excludes), 0o666))
	if err != nil {
		return err
	}
	for _, name := range []string{"shallow", "info/attributes"} {
		if _, err := os.Stat(filepath.Join(m.common, name)); notFound(err) {
			continue
		}
		if err := copyTree(filepath.Join(m.common, name), filepath.Join(m.gitDir(), name)); err != nil {
			return err
		}
	}
	return nil
}

// branch checks out a branch of the run at the user's last commit.
func (m *cloner) branch(ctx context.Context) (err error) {
	ref := "refs/heads/errgen/" + m.run
	m.head, err = m.users(ctx, command{none: 1}, "rev-parse", "--verify", "-q", "HEAD")
	if err == nil && m.head != "" {
		err = m.git(ctx, "update-ref", ref, m.head)
	}
	if err != nil {
		return err
	}
	return m.git(ctx, "symbolic-ref", "HEAD", ref)
}

// files writes the user's files byte for byte.
func (m *cloner) files(ctx context.Context) error {
	tree, err := m.work.snapshot(ctx)
	if err != nil {
		return err
	}
	env := m.otherIndex("clone.index")
	for _, args := range [][]string{{"read-tree", string(tree)}, {"checkout-index", "-a", "-f"}} {
		if _, err := m.Space.git(ctx, command{dir: m.dir, env: env, args: args}); err != nil {
			return err
		}
	}
	if m.head == "" {
		return nil
	}
	return m.git(ctx, "reset", "-q", "--mixed", "HEAD")
}

// ignored copies and links ignored files.
func (m *cloner) ignored(context.Context) error {
	place := func(p string) (from, to string, err error) {
		if !filepath.IsLocal(p) {
			return "", "", errors.New("not a path in the working tree: " + p)
		}
		to = filepath.Join(m.dir, p)
		return filepath.Join(m.root, p), to, os.MkdirAll(filepath.Dir(to), 0o777)
	}
	for _, p := range m.Link {
		from, to, err := place(p)
		if err == nil {
			err = os.Symlink(from, to)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, p := range m.Copy {
		from, to, err := place(p)
		if err == nil {
			err = copyTree(from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies a file, with its permissions, or a directory.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err == nil {
		err = errors.Join(os.RemoveAll(to), os.MkdirAll(filepath.Dir(to), 0o777))
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}

// place moves the clone to its place, where at most an empty directory is.
func (m *cloner) place(context.Context) error {
	if err := os.WriteFile(filepath.Join(m.gitDir(), originFile), []byte(m.origin()), 0o600); err != nil {
		return err
	}
	if err := os.Remove(m.Dir); err != nil && !notFound(err) {
		return err
	}
	err := os.Rename(m.dir, m.Dir)
	m.newClone = err == nil
	return err
}

// setup runs the user's command in the clone.
func (m *cloner) setup(ctx context.Context) error {
	if len(m.Setup) == 0 {
		return nil
	}
	_, err := m.runProgram(ctx, m.Setup, m.Dir, proc.SafeEnv(), "")
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok {
		ev.Type = typeSetup
	}
	return err
}

// DeliverClone brings the commits of a clone to a branch of the user's repository; the branch only moves
// forward. If forward is set, it also moves the branch that is checked out there, unless files of
// the user are in the way. It takes the working tree for that time.
func (s *Space) DeliverClone(ctx context.Context, clone *Space, branch string, forward bool) error {
	return clone.operate(opCommit, func() error { return s.deliver(ctx, clone, branch, forward) })
}

func (s *Space) deliver(ctx context.Context, clone *Space, branch string, forward bool) (err error) {
	if err := clone.unmoved(ctx); err != nil {
		return err
	}
	held := &Space{opts: s.opts, run: s.run}
	if err := held.take(ctx, s.gitDir, treeLock, "the working tree"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.lock.Release()) }()
	ref := "refs/heads/" + branch
	if _, err := s.users(ctx, command{}, "check-ref-format", ref); err != nil {
		return err
	}
	if _, err := s.users(ctx, command{}, "-c", "protocol.file.allow=always", "-c", "fetch.fsckObjects=true",
		"fetch", "-q",
		"--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no", "--", clone.root,
		"HEAD:"+ref); err != nil {
		return err
	}
	if !forward {
		return nil
	}
	_, err = s.users(ctx, command{}, "merge", "-q", "--ff-only", "--no-overwrite-ignore", ref)
	return err
}
