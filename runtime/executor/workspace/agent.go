package workspace

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// agentFiles are the files of the agent's repository that show the last commit, by their paths.
func (s *Space) agentFiles() map[string]string {
	files := map[string]string{"HEAD": "ref: " + s.ref() + "\n",
		"objects/info/alternates": filepath.ToSlash(filepath.Join(s.gitDir(), "objects")) + "\n"}
	for _, name := range []string{"config", "packed-refs", "info/exclude", "info/attributes", "info/sparse-checkout",
		"shallow", s.ref()} {
		if content, err := os.ReadFile(s.file("git/" + name)); err == nil {
			files[name] = string(content)
		}
	}
	return files
}

// renewAgentGit makes the agent's repository anew, unless it shows the last commit, has the
// configuration of the beginning, has no hooks, and no lock of an agent that was killed. It moves the
// old one to old/.
func (s *Space) renewAgentGit(ctx context.Context) {
	if s.err != nil || s.opts.InPlace {
		return
	}
	files := s.agentFiles()
	dot := filepath.Join(s.Dir(), ".git")
	info, err := os.Lstat(dot)
	hooks, _ := os.ReadDir(filepath.Join(dot, "hooks"))
	same := err == nil && info.IsDir() && len(hooks) == 0 && !exists(filepath.Join(dot, "index.lock")) &&
		!exists(filepath.Join(dot, "HEAD.lock"))
	for name, content := range files {
		have, err := atomicfile.Read(filepath.Join(dot, filepath.FromSlash(name)), int64(len(content))+1)
		same = same && err == nil && string(have) == content
	}
	if same {
		return
	}
	s.scratchGit(ctx, s.file("agent.new"), files)
	if exists(dot) {
		s.moveAside(".git")
	}
	s.do(func() error {
		beforeStep("replace .git")
		return os.Rename(s.file("agent.new"), dot)
	})
}

// scratchGit makes a repository that borrows the objects of the run's. Its index has the files of
// the last commit, with the times of the run's index, so that git need not read all files.
func (s *Space) scratchGit(ctx context.Context, dir string, files map[string]string) {
	s.do(func() error {
		err := os.RemoveAll(dir)
		for _, name := range []string{"refs", "objects/pack", "hooks"} {
			err = errors.Join(err, os.MkdirAll(filepath.Join(dir, name), 0o777))
		}
		for name, content := range files {
			err = errors.Join(err, writeFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content)))
		}
		return errors.Join(err, copyTree(s.file("git/index"), filepath.Join(dir, "index")))
	})
	s.git(ctx, command{env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")},
		args: []string{"read-tree", "--reset", "HEAD"}})
}

// maxOld limits the entries of old/. The oldest ones are removed.
const maxOld = 20

// moveAside moves a file or directory of the tree to old/.
func (s *Space) moveAside(p string) {
	s.do(func() error {
		from := filepath.Join(s.Dir(), filepath.FromSlash(p))
		to := s.file("old/" + time.Now().UTC().Format("20060102T150405.000000000") + "/" + path.Base(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if entries, _ := os.ReadDir(s.file("old")); len(entries) > maxOld { // sorted by age
			if err := os.RemoveAll(s.file("old/" + entries[0].Name())); err != nil {
				return err
			}
		}
		beforeStep("move " + p)
		err := os.Rename(from, to)
		if err != nil && s.opts.InPlace { // on another disk
			if info, serr := os.Lstat(from); serr == nil && info.IsDir() {
				err = os.CopyFS(to, os.DirFS(from))
			}
			err = errors.Join(err, os.RemoveAll(from))
		}
		return err
	})
}
