package gittree

import (
	"context"
	"crypto/sha256"
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

// stateFile contains the state of a run.
const stateFile = "space.json"

// state describes the user's repository when the run began or committed last, and the operations
// in progress. It is recorded before anything that the run starts can change the user's
// configuration.
type state struct {
	Root     string            `json:"root"`
	Clone    string            `json:"clone,omitempty"`    // the private clone in which the run works
	Cloned   bool              `json:"cloned,omitempty"`   // whether that is complete
	Format   string            `json:"format"`             // of objects
	Core     map[string]string `json:"core"`               // the user's configuration of the file system
	Excludes string            `json:"-"`                  // the content of the file work.exclude
	Others   []string          `json:"others,omitempty"`   // branches that other working trees have checked out
	Includes []string          `json:"includes,omitempty"` // configuration files below the root
	// Begun reports that the rest is complete.
	Begun bool                   `json:"begun"`
	Rules Tree                   `json:"rules"` // the tree whose .gitignore files apply
	Modes map[string]fs.FileMode `json:"modes"` // unusual permissions
	// Revealed are the contents of the files that accepted rules revealed, by path.
	Revealed map[string]string `json:"revealed,omitempty"`
	// Tracked are the files that rules ignore although git tracks them.
	Tracked []string          `json:"tracked,omitempty"`
	Git     []*gitDir         `json:"git"` // the user's comes first
	Refs    map[string]string `json:"refs"`
	Index   []byte            `json:"index"`             // the digest of the user's index
	Objects []string          `json:"objects,omitempty"` // those of repositories within the working tree
	// Commits are those of the run, by attempt.
	Commits map[int]intent `json:"commits"`
	// Attempt is the attempt in progress; see [Space.Attempt].
	Attempt *attemptNote `json:"attempt,omitempty"`
}

func (s *Space) saveState() error {
	content, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	return s.write(stateFile, content)
}

func readState(store string) (made state, err error) {
	b, err := os.ReadFile(filepath.Join(store, stateFile))
	if err == nil {
		err = json.Unmarshal(b, &made)
	}
	return made, err
}

// openStore makes the store or opens it.
func (s *Space) openStore(ctx context.Context, clone string) error {
	made, err := readState(s.store)
	switch {
	case notFound(err):
	case err != nil:
		return fault(typeStore, "", err, s.store)
	case made.Root != s.root:
		return fault(typeRefused, "the run has another working tree: "+made.Root, nil)
	case made.Clone != clone:
		return fault(typeRefused, "the run works in another mode or clone: "+made.Clone, nil)
	}
	s.earlier = &made
	if made.Begun {
		s.op, s.state = opResume, made
		excludes, err := os.ReadFile(filepath.Join(s.store, "work.exclude"))
		if err != nil {
			return fault(typeStore, "", err, s.store)
		}
		s.state.Excludes = string(excludes)
		s.setTracked()
		s.removeLocks()
	} else if err := s.makeStore(ctx, clone); err != nil {
		return err
	}
	if err := s.configure(); err != nil {
		return err
	}
	s.work, err = s.newArea(ctx, "work", s.root)
	for i, g := range s.state.Git {
		err = errors.Join(err, s.setArea(ctx, g, i))
	}
	return err
}

// removeLocks removes locks in the store. It first waits for their owners, git commands of a killed
// process, to end.
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
func (s *Space) makeStore(ctx context.Context, clone string) error {
	beforeStep("make store")
	s.state.Clone = clone
	if err := s.readUsers(ctx); err != nil {
		return err
	}
	for _, dir := range []string{"objects/info", "users", "refs", "info"} {
		if err := atomicfile.MakeDir(filepath.Join(s.store, dir)); err != nil {
			return err
		}
	}
	linked, err := link(s.objects(), filepath.Join(s.store, "users"))
	if err != nil {
		return err
	}
	users := s.objects()
	if linked {
		users = filepath.Join(s.store, "users")
	}
	return errors.Join(s.write("HEAD", []byte(headless)),
		s.write("objects/info/alternates", []byte(users+"\n"+s.alternates())), s.saveState())
}

// headless is a HEAD without a commit.
const headless = "ref: refs/heads/none\n"

// readUsers reads the properties of the user's repository that the store depends on.
func (s *Space) readUsers(ctx context.Context) error {
	entries, err := s.list(ctx, command{in: inUsers, none: 1, args: []string{"config", "-z", "--get-regexp",
		`^core\.(precomposeunicode|excludesfile)$`}})
	if err != nil {
		return err
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); config == "" && err == nil {
		config = filepath.Join(home, ".config")
	}
	excludes := filepath.Join(config, "git", "ignore")
	// A wrong core.ignoreCase would hide files. A wrong core.fileMode or core.symlinks would restore
	// files without their form, so the store has the defaults.
	s.state.Core = map[string]string{"ignorecase": strconv.FormatBool(s.ignoresCase())}
	for _, entry := range entries {
		key, value, _ := strings.Cut(entry, "\n")
		if key = strings.TrimPrefix(key, "core."); key == "excludesfile" {
			if excludes = ""; value != "" { // empty is no file
				excludes = expand(value, s.root)
			}
		} else {
			s.state.Core[key] = value
		}
	}
	s.state.Excludes = ""
	for _, file := range []string{excludes, filepath.Join(s.common, "info", "exclude")} {
		b, err := os.ReadFile(file)
		if err != nil && !notFound(err) {
			return err
		}
		s.state.Excludes += string(b) + "\n"
	}
	s.state.Others = s.otherBranches()
	s.state.Includes, err = s.includedFiles(ctx)
	return err
}

// ignoresCase reports whether the file system ignores the case of names.
func (s *Space) ignoresCase() bool {
	lower, err := os.Lstat(filepath.Join(s.root, ".git"))
	upper, uerr := os.Lstat(filepath.Join(s.root, ".GIT"))
	return err == nil && uerr == nil && os.SameFile(lower, upper)
}

// otherBranches returns the references that other working trees have checked out.
func (s *Space) otherBranches() (refs []string) {
	heads, _ := filepath.Glob(filepath.Join(s.common, "worktrees", "*", "HEAD"))
	own, _ := os.ReadFile(filepath.Join(s.gitDir, "HEAD"))
	for _, name := range append(heads, filepath.Join(s.common, "HEAD")) {
		head, _ := os.ReadFile(name)
		ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
		if ok && string(head) != string(own) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// includedFiles returns the files below the root that the configuration includes: a change of one
// is a change of the configuration.
func (s *Space) includedFiles(ctx context.Context) (below []string, err error) {
	entries, err := s.list(ctx, command{in: inUsers, none: 1, args: []string{"config", "-z", "--includes",
		"--show-origin", "--get-regexp", `^include(if\..+)?\.path$`}})
	for i := 0; i+1 < len(entries); i += 2 {
		origin := expand(strings.TrimPrefix(entries[i], "file:"), s.root)
		_, included, _ := strings.Cut(entries[i+1], "\n")
		rel, err := filepath.Rel(s.root, expand(included, filepath.Dir(origin)))
		rel = filepath.ToSlash(rel)
		if err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(rel, ".git/") {
			below = append(below, rel)
		}
	}
	return below, err
}

// expand returns the absolute path of a path in git's configuration.
func expand(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, _ := os.UserHomeDir()
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// configure writes the configuration, the attributes and the exclusions of the store.
func (s *Space) configure() error {
	var config strings.Builder
	config.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tlogAllRefUpdates = false\n" +
		"\tcompression = 1\n\ttrustctime = true\n\tbigFileThreshold = 16m\n\tprotectNTFS = false\n" +
		"\tprotectHFS = false\n[gc]\n\tauto = 0\n[index]\n\tversion = 4\n[advice]\n\taddEmbeddedRepo = false\n" +
		"[extensions]\n\tobjectFormat = " + s.state.Format + "\n[core]\n")
	for _, key := range slices.Sorted(maps.Keys(s.state.Core)) {
		fmt.Fprintf(&config, "\t%s = %q\n", key, s.state.Core[key])
	}
	return errors.Join(
		s.write("config", []byte(config.String())),
		s.write("info/attributes", []byte("* -text -filter -ident -working-tree-encoding\n")),
		s.write("work.exclude", []byte(s.state.Excludes)),
		s.write("git.exclude", []byte(s.gitExcludes())))
}

// gitExcludes are the files of git's directory that are not compared: objects, logs other than the
// stash's, errgen's own files, and the files of other working trees.
func (s *Space) gitExcludes() string {
	rules := "/objects/*\n!/objects/info/\n/objects/info/*\n!/objects/info/alternates\n/errgen/\n/lfs/\n" +
		"/logs/*\n!/logs/refs/\n/logs/refs/*\n!/logs/refs/stash\n" +
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
	return shared + rules + "!/" + rel + "/\n/" + rel + "/errgen/\n/" + rel + "/logs/\n"
}

// worktreeName is the path of a linked working tree's git directory in that of all working trees;
// "" for the main working tree.
func (s *Space) worktreeName() string {
	if rel, err := filepath.Rel(s.common, s.gitDir); err == nil && rel != "." {
		return filepath.ToSlash(rel)
	}
	return ""
}

func (s *Space) objects() string { return filepath.Join(s.common, "objects") }

// alternates lists the object directories that the user's repository reads beside its own.
func (s *Space) alternates() (dirs string) {
	b, _ := os.ReadFile(filepath.Join(s.objects(), "info", "alternates"))
	for line := range strings.Lines(string(b)) {
		if dir := strings.TrimSuffix(line, "\n"); dir != "" && dir[0] != '#' {
			dirs += expand(dir, s.objects()) + "\n"
		}
	}
	return dirs
}

// linkObjects links the new objects of the user's repository into the store, so that no garbage
// collection removes objects that a run may have to restore. They are in a separate directory,
// because the store's own objects never enter the user's repository.
func (s *Space) linkObjects() error {
	_, err := link(s.objects(), filepath.Join(s.store, "users"))
	for _, dir := range s.state.Objects {
		if real, rerr := filepath.EvalSymlinks(dir); rerr == nil && real == dir {
			_, lerr := link(dir, s.linkedObjects(dir))
			err = errors.Join(err, lerr)
		}
	}
	return err
}

// restoreObjects restores the objects of the user's repository, and of those within the working
// tree that exist. It follows no links, because they can lead out of the working tree.
func (s *Space) restoreObjects() error {
	err := restoreLinks(filepath.Join(s.store, "users"), s.objects())
	for _, dir := range s.state.Objects {
		if _, missing := os.Stat(filepath.Join(filepath.Dir(dir), "HEAD")); missing == nil {
			err = errors.Join(err, restoreLinks(s.linkedObjects(dir), dir))
		}
	}
	return err
}

// restoreLinks restores a directory of objects from its links, unless it leads elsewhere. Git takes
// a directory for a repository only if it also contains refs, which is empty if all are packed.
func restoreLinks(from, dir string) error {
	real, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil || real != filepath.Dir(dir) {
		return nil
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return nil
	}
	_, err = link(from, dir)
	for _, needed := range []string{dir, filepath.Join(real, "refs")} {
		if _, missing := os.Lstat(needed); notFound(missing) {
			err = errors.Join(err, os.MkdirAll(needed, 0o777))
		}
	}
	return err
}

// linkedObjects is where the store has the links to a directory of objects.
func (s *Space) linkedObjects(dir string) string {
	return filepath.Join(s.store, "users", fmt.Sprintf("%x", sha256.Sum256([]byte(dir))))
}

// objectDirs returns the directories of objects in a git directory, except those of the user's own
// repository.
func (s *Space) objectDirs(gitDir string) (dirs []string) {
	if gitDir != s.common {
		dirs = append(dirs, filepath.Join(gitDir, "objects"))
	}
	_ = filepath.WalkDir(filepath.Join(gitDir, "modules"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		switch d.Name() {
		case "objects":
			dirs = append(dirs, name)
			return fs.SkipDir
		case "hooks", "info", "lfs", "logs", "refs":
			return fs.SkipDir
		}
		return nil
	})
	return dirs
}

// link hard-links the objects of one directory into another. It reports whether the file system
// allows it. It never writes through a link in the other directory.
func link(from, to string) (linked bool, err error) {
	dirs, err := os.ReadDir(from)
	if err != nil && !notFound(err) {
		return false, err
	}
	for _, dir := range dirs {
		if !dir.IsDir() || len(dir.Name()) != 2 && dir.Name() != "pack" {
			continue
		}
		if info, err := os.Lstat(filepath.Join(to, dir.Name())); err == nil && !info.IsDir() {
			if dir.Name() == "pack" { // can be a link of the user's
				continue
			}
			if err := os.Remove(filepath.Join(to, dir.Name())); err != nil {
				return false, err
			}
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
			if err := os.MkdirAll(filepath.Join(to, dir.Name()), 0o777); err != nil {
				return false, err
			}
			err := os.Link(filepath.Join(from, dir.Name(), name), filepath.Join(to, dir.Name(), name))
			if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) { // collected meanwhile
				return false, nil
			}
		}
	}
	return true, nil
}

func names(dir string) map[string]bool {
	entries, _ := os.ReadDir(dir)
	out := make(map[string]bool, len(entries))
	for _, e := range entries {
		out[e.Name()] = true
	}
	return out
}

// write replaces a file of the store.
func (s *Space) write(name string, content []byte) error {
	beforeStep("write " + name)
	return atomicfile.Replace(filepath.Join(s.store, name), content)
}

// marks describes the files with which the store tracks the working tree: their sizes, modes and
// change times, which no program can set.
func (s *Space) marks() string {
	var b []byte
	_ = filepath.WalkDir(s.store, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			switch rel, _ := filepath.Rel(s.store, name); {
			case rel == "users", rel == "refs", rel == "kept", filepath.Dir(rel) == "objects" && rel != "objects/info":
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil {
			b = fmt.Appendf(b, "%s %d %v %v\n", name, info.Size(), info.Mode(), changeMark(info))
		}
		return nil
	})
	return string(b)
}

// checkSeal returns evidence if another process changed the store since the last operation. A new
// process accepts the current store.
func (s *Space) checkSeal() error {
	if s.seal == "" || s.seal == s.marks() {
		return nil
	}
	return fault(typeStore, "another process changed the files in which the run tracks the working tree", nil, s.store)
}
