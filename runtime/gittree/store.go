package gittree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

const (
	settingsFile = "space.json"
	linkedFile   = "linked"
)

// settings describe a store. They are recorded when the run begins, before anything that the run
// starts can change the user's configuration.
type settings struct {
	Root     string            `json:"root"`
	Format   string            `json:"format"` // of objects
	Core     map[string]string `json:"core"`   // what the user's configuration tells of the file system
	Excludes string            `json:"excludes"`
	DotGit   []byte            `json:"dot_git,omitempty"` // the content of .git, if that is a file
	Others   []string          `json:"others,omitempty"`  // branches that other working trees have checked out
	Includes []string          `json:"includes,omitempty"`
	// Clone is the directory of the private clone in which the run works.
	Clone string `json:"clone,omitempty"`
}

// openStore makes the store or opens it. It reports whether the run has begun before, which is so
// once the store has a baseline.
func (s *Space) openStore(ctx context.Context, wanted settings) (begun bool, err error) {
	made, err := readSettings(s.store)
	switch {
	case notFound(err):
	case err != nil:
		return false, fault(typeStore, "", err, s.store)
	case made.Root != s.root:
		return false, fault(typeRefused, "the run has another working tree: "+made.Root, nil)
	case made.Clone != wanted.Clone:
		return false, fault(typeRefused, "the run works in another mode or clone: "+made.Clone, nil)
	}
	if _, err := os.Stat(filepath.Join(s.store, baselineFile)); err != nil {
		return false, s.makeStore(ctx, wanted)
	}
	s.op, s.made = opResume, made
	s.removeLocks()
	return true, s.configure()
}

func readSettings(store string) (settings, error) {
	var made settings
	b, err := os.ReadFile(filepath.Join(store, settingsFile))
	if err == nil {
		err = json.Unmarshal(b, &made)
	}
	return made, err
}

// removeLocks removes locks in the store. Their owners are git commands of a killed process, which
// get a moment to end.
func (s *Space) removeLocks() {
	until := time.Now().Add(lockPatience)
	for _, pattern := range []string{"*.lock", "*/*.lock", "refs/*/*.lock"} {
		locks, _ := filepath.Glob(filepath.Join(s.store, pattern))
		for _, lock := range locks {
			awaitRemoval(lock, until)
			_ = os.Remove(lock)
		}
	}
}

// makeStore makes the store, or makes it again if a killed process did not complete it.
func (s *Space) makeStore(ctx context.Context, wanted settings) error {
	beforeStep("make store")
	made, err := s.readUsers(ctx)
	if err != nil {
		return err
	}
	made.Clone = wanted.Clone
	s.made = made
	for _, dir := range []string{"objects/info", "refs", "info", "work", "inside"} {
		if err := atomicfile.MakeDir(filepath.Join(s.store, dir)); err != nil {
			return err
		}
	}
	linked, err := link(s.objects(), filepath.Join(s.store, "objects"))
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"HEAD": headless, "work/HEAD": headless, "work/commondir": "..\n", "inside/HEAD": headless,
		"objects/info/alternates": s.alternates(linked),
	} {
		if err := s.write(name, []byte(content)); err != nil {
			return err
		}
	}
	return errors.Join(s.configure(), recordLinked(s.store), s.writeJSON(settingsFile, made))
}

// headless is a HEAD without a commit.
const headless = "ref: refs/heads/none\n"

// readUsers reads what a store has to know of the user's repository.
func (s *Space) readUsers(ctx context.Context) (settings, error) {
	made := settings{Root: s.root, Format: s.made.Format, Core: map[string]string{}}
	entries, err := s.list(ctx, command{in: inUsers, none: 1, args: []string{"config", "-z", "--get-regexp",
		`^core\.(filemode|symlinks|precomposeunicode|excludesfile)$`}})
	if err != nil {
		return made, err
	}
	config, err := os.UserConfigDir()
	excludes := filepath.Join(config, "git", "ignore")
	if home, herr := os.UserHomeDir(); err != nil && herr == nil {
		excludes = filepath.Join(home, ".config", "git", "ignore")
	}
	for _, entry := range entries {
		key, value, _ := strings.Cut(entry, "\n")
		if key = strings.TrimPrefix(key, "core."); key == "excludesfile" {
			excludes = expand(value, s.root)
		} else {
			made.Core[key] = value
		}
	}
	for _, file := range []string{excludes, filepath.Join(s.common, "info", "exclude")} {
		b, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return made, err
		}
		made.Excludes += string(b) + "\n"
	}
	if info, err := os.Lstat(filepath.Join(s.root, ".git")); err == nil && !info.IsDir() {
		if made.DotGit, err = os.ReadFile(filepath.Join(s.root, ".git")); err != nil {
			return made, err
		}
	}
	made.Core["ignorecase"] = strconv.FormatBool(s.ignoresCase())
	made.Others = s.otherBranches()
	made.Includes, err = s.includedFiles(ctx)
	return made, err
}

// ignoresCase reports whether the file system ignores the case of names. A configuration that is
// wrong about that would hide files.
func (s *Space) ignoresCase() bool {
	lower, err := os.Lstat(filepath.Join(s.root, ".git"))
	upper, uerr := os.Lstat(filepath.Join(s.root, ".GIT"))
	return err == nil && uerr == nil && os.SameFile(lower, upper)
}

// configure writes the configuration, the attributes and the exclusions of the store.
func (s *Space) configure() error {
	var config strings.Builder
	config.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tlogAllRefUpdates = false\n" +
		"\tcompression = 1\n\ttrustctime = true\n\tbigFileThreshold = 16m\n[gc]\n\tauto = 0\n[index]\n\tversion = 4\n" +
		"[advice]\n\taddEmbeddedRepo = false\n[extensions]\n\tobjectFormat = " + s.made.Format + "\n[core]\n")
	for _, key := range slices.Sorted(maps.Keys(s.made.Core)) {
		fmt.Fprintf(&config, "\t%s = %q\n", key, s.made.Core[key])
	}
	for name, content := range map[string]string{
		"config":          config.String(),
		"info/attributes": "* -text -filter -ident -working-tree-encoding\n",
		"work.exclude":    s.made.Excludes, "inside.exclude": s.insideExcludes(),
	} {
		if err := s.write(name, []byte(content)); err != nil {
			return err
		}
	}
	return nil
}

// insideExcludes are the files of git's directory that are not compared: objects, errgen's own, and
// what belongs to other working trees.
func (s *Space) insideExcludes() string {
	rules := "/objects/*\n!/objects/info/\n/objects/info/*\n!/objects/info/alternates\n/errgen/\n/lfs/\n" +
		"/fsmonitor--daemon/\n/worktrees/*\n/modules/**/objects/\n/modules/**/lfs/\n"
	rel := s.worktreeName()
	if rel == "" {
		return rules
	}
	shared := "/*\n"
	for _, name := range []string{"config", "config.worktree", "hooks/", "info/", "refs/", "packed-refs", "shallow",
		"logs/", "modules/", "objects/", "worktrees/", ".gitignore"} {
		shared += "!/" + name + "\n"
	}
	return shared + "/logs/HEAD\n" + rules + "!/" + rel + "/\n/" + rel + "/errgen/\n"
}

// worktreeName is the path of a linked working tree's git directory in that of all working trees;
// "" for the main working tree.
func (s *Space) worktreeName() string {
	if rel, err := filepath.Rel(s.common, s.gitDir); err == nil && rel != "." {
		return filepath.ToSlash(rel)
	}
	return ""
}

// otherBranches returns the references that other working trees have checked out.
func (s *Space) otherBranches() (refs []string) {
	heads, _ := filepath.Glob(filepath.Join(s.common, "worktrees", "*", "HEAD"))
	own, _ := os.ReadFile(filepath.Join(s.gitDir, "HEAD"))
	for _, name := range append(heads, filepath.Join(s.common, "HEAD")) {
		head, _ := os.ReadFile(name)
		ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
		if ok && !bytes.Equal(head, own) {
			refs = append(refs, ref)
		}
	}
	return refs
}

func (s *Space) objects() string { return filepath.Join(s.common, "objects") }

// alternates lists the object directories that the store reads beside its own: those that the
// user's repository reads, and the user's own if its objects cannot be linked.
func (s *Space) alternates(linked bool) string {
	var dirs []string
	if !linked {
		dirs = append(dirs, s.objects())
	}
	for queue := []string{s.objects()}; len(queue) > 0; queue = queue[1:] {
		b, _ := os.ReadFile(filepath.Join(queue[0], "info", "alternates"))
		for line := range strings.Lines(string(b)) {
			dir := strings.TrimSuffix(line, "\n")
			if dir == "" || dir[0] == '#' {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(queue[0], dir)
			}
			if !slices.Contains(dirs, dir) {
				dirs, queue = append(dirs, dir), append(queue, dir)
			}
		}
	}
	if len(dirs) == 0 {
		return ""
	}
	return strings.Join(dirs, "\n") + "\n"
}

// link hard-links the objects of one directory into another, so that no garbage collection can
// remove what a run may have to restore. It reports whether the file system allows it.
func link(from, to string) (linked bool, err error) {
	dirs, err := os.ReadDir(from)
	if err != nil {
		return false, err
	}
	for _, dir := range dirs {
		if !dir.IsDir() || len(dir.Name()) != 2 && dir.Name() != "pack" {
			continue
		}
		files, err := os.ReadDir(filepath.Join(from, dir.Name()))
		if err != nil {
			return false, err
		}
		have := names(filepath.Join(to, dir.Name()))
		for _, file := range files {
			name := file.Name()
			temporary := strings.Contains(name, "tmp_") || strings.HasSuffix(name, ".lock")
			if have[name] || temporary || !file.Type().IsRegular() {
				continue
			}
			if err := os.MkdirAll(filepath.Join(to, dir.Name()), 0o700); err != nil {
				return false, err
			}
			err := os.Link(filepath.Join(from, dir.Name(), name), filepath.Join(to, dir.Name(), name))
			if errors.Is(err, fs.ErrNotExist) { // collected meanwhile
				continue
			}
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return false, nil
			}
		}
	}
	return true, nil
}

// linkAgain links the objects that the user's repository has gained.
func (s *Space) linkAgain() error {
	_, err := link(s.objects(), filepath.Join(s.store, "objects"))
	return err
}

func names(dir string) map[string]bool {
	entries, _ := os.ReadDir(dir)
	out := make(map[string]bool, len(entries))
	for _, e := range entries {
		out[e.Name()] = true
	}
	return out
}

// recordLinked records which objects the user had when the run began.
func recordLinked(store string) error {
	var b bytes.Buffer
	objects := filepath.Join(store, "objects")
	err := filepath.WalkDir(objects, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Base(filepath.Dir(path)) != "info" {
			b.WriteString(strings.TrimPrefix(path, objects+string(filepath.Separator)) + "\n")
		}
		return err
	})
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(store, linkedFile), b.Bytes())
}

// restoreObjects restores the objects that the user had when the run began. It reads a directory
// only if that changed since.
func (s *Space) restoreObjects() error {
	if s.objectNames == nil {
		content, err := os.ReadFile(filepath.Join(s.store, linkedFile))
		if err != nil {
			return err
		}
		s.objectNames, s.objectTimes = map[string][]string{}, map[string]time.Time{}
		for line := range strings.Lines(string(content)) {
			dir, name := filepath.Split(strings.TrimSuffix(line, "\n"))
			s.objectNames[dir] = append(s.objectNames[dir], name)
		}
	}
	for dir, files := range s.objectNames {
		users := filepath.Join(s.objects(), dir)
		if info, err := os.Lstat(users); err == nil && info.ModTime().Equal(s.objectTimes[dir]) {
			continue
		}
		have := names(users)
		for _, name := range files {
			if have[name] {
				continue
			}
			if err := os.MkdirAll(users, 0o777); err != nil {
				return err
			}
			err := os.Link(filepath.Join(s.store, "objects", dir, name), filepath.Join(users, name))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if info, err := os.Lstat(users); err == nil && time.Since(info.ModTime()) > time.Second {
			s.objectTimes[dir] = info.ModTime()
		}
	}
	return nil
}
