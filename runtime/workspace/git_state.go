package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

// state is what a run remembers of git itself and what its own commits change. It is a file of the
// run.
type state struct {
	Run   string    `json:"run"`
	Began time.Time `json:"began"`
	// Git is how HEAD and the references are to be: as they were at the beginning, and then with
	// the run's own commits.
	Git refState `json:"git"`
	// Others are branches of other working trees.
	Others rawMap[struct{}] `json:"others,omitempty"`
	// Config are the files of the configuration, in the repository or not, with the names of their
	// contents.
	Config rawMap[string] `json:"config"`
	// HooksDir is where hooks are if that is not in git's directory, Hooks the names of their
	// contents.
	HooksDir raw            `json:"hooksDir,omitempty"`
	Hooks    rawMap[string] `json:"hooks,omitempty"`
	// Pending is a commit that was made and to which a branch may have been moved.
	Pending *pending `json:"pending,omitempty"`
	// Index is the name of the copy of the user's index, which the run's own commits are in; ""
	// when there is none.
	Index string `json:"index,omitempty"`
	// Locked says that the user's index was locked when the run began.
	Locked bool `json:"locked,omitempty"`
	// Locks are the locks that were there when the run began; nil is that it is not known.
	Locks rawMap[struct{}] `json:"locks"`
	// Modules are the git directories of submodules and of repositories in the tree, with the names
	// of their indexes; "" is that there is none.
	Modules rawMap[string] `json:"modules,omitempty"`
	// Logs are the reflogs.
	Logs rawMap[logCopy] `json:"logs,omitempty"`
	// Released says that what was kept for the run was let go of. It is kept again if the run goes
	// on all the same.
	Released bool `json:"released,omitempty"`
	// Locker is who took the lock of the user's index last.
	Locker *locker `json:"locker,omitempty"`
}

// pending is a commit of which it is not known whether the branch has been moved to it, and the
// user's index told.
type pending struct {
	Ref   raw    `json:"ref"`
	Old   string `json:"old"`
	New   string `json:"new"`
	Paths []raw  `json:"paths"`
}

// adopt takes note of a commit of ours to which the branch was moved before that could be
// remembered.
func (st *state) adopt(now refState) {
	if p := st.Pending; p != nil && string(now.at(string(p.Ref))) == p.New {
		st.Git.move(string(p.Ref), p.New)
	}
}

// locker is the process that took the lock of the user's index.
type locker struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

func (g *Git) stateFile(run string) string { return filepath.Join(g.runDir(run), "state.json") }

// state returns what a run remembers.
func (g *Git) state(op, run string) (*state, error) {
	if st, ok := g.states[run]; ok {
		return st, nil
	}
	if err := checkRun(op, run); err != nil {
		return nil, err
	}
	st, err := readState(g.stateFile(run))
	if err != nil {
		return nil, fault(op, "read what the run remembers", nil, err)
	}
	g.states[run] = st
	return st, nil
}

func readState(file string) (*state, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	st := &state{}
	if err := json.Unmarshal(b, st); err != nil {
		return nil, err
	}
	return st, nil
}

// setState makes st what the run remembers.
func (g *Git) setState(op string, st *state) error {
	b, err := json.Marshal(st)
	if err == nil {
		err = writePrivate(g.stateFile(st.Run), func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	if err != nil {
		return fault(op, "write what the run remembers", nil, err)
	}
	g.states[st.Run] = st
	return nil
}

// configuration returns the files that configure git, with the names of their contents: those of
// the repository, of the user and of the system, and those that they include, also if they are not
// there yet.
func (g *Git) configuration(ctx context.Context, op string) (map[raw]string, error) {
	out, err := g.git(ctx, call{op: op, args: []string{"config", "--list", "--null", "--show-origin", "--includes"}})
	if err != nil {
		return nil, err
	}
	files := map[raw]string{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		origin, ok := strings.CutPrefix(fields[i], "file:")
		if !ok {
			continue
		}
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(g.root, origin)
		}
		files[raw(origin)] = ""
		key, value, _ := strings.Cut(fields[i+1], "\n")
		if key == "include.path" || strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path") {
			files[raw(includedBy(origin, value))] = ""
		}
	}
	for _, name := range globalConfig() {
		files[raw(name)] = ""
	}
	return files, g.nameContents(op, files)
}

// includedBy returns the path of a file that another one includes.
func includedBy(origin, value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(filepath.Dir(origin), value)
}

// globalConfig are the files of the user's own configuration, whether they are there or not.
func globalConfig() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = filepath.Join(home, ".config")
	}
	return []string{filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"),
		filepath.Join(xdg, "git", "attributes")}
}

// nameContents fills in the names of the contents of files; a file that is not there has none.
func (g *Git) nameContents(op string, files map[raw]string) error {
	for name := range files {
		id, err := g.contentName(string(name))
		if err != nil {
			return fault(op, "", []string{string(name)}, err)
		}
		files[name] = id
	}
	return nil
}

// contentName returns the name of the content of a file; "" when it is not there.
func (g *Git) contentName(name string) (string, error) {
	b, err := readBounded(name)
	if missing(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return g.idOf(b), nil
}

// maxConfig is how long a file of the configuration or a hook may be.
const maxConfig = 16 << 20

var errHuge = errors.New("too long for a file that git reads or runs")

// readBounded reads a file that is not long; links to it are followed, as git does.
func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxConfig {
		return nil, &os.PathError{Op: "read", Path: name, Err: errHuge}
	}
	return os.ReadFile(name)
}

// trusted returns an error when something has changed that decides what git commands run: then none
// is started in the user's repository.
func (g *Git) trusted(ctx context.Context, op string, s *snapshot, st *state) error {
	sc := g.scanOf(ctx, op, s, st)
	if err := sc.gitFiles(); err != nil {
		return sc.fail(err)
	}
	var changed []string
	for p, e := range s.entries {
		if isOwn(p) && !e.same(sc.found[p]) {
			changed = append(changed, p)
		}
	}
	for p := range sc.found {
		if isOwn(p) && s.entries[p] == nil {
			changed = append(changed, p)
		}
	}
	config, err := g.changedConfig(op, st)
	if err != nil {
		return err
	}
	changed = append(changed, config...)
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	for i, p := range changed {
		changed[i] = text.Quote(p, maxQuoted)
	}
	return fault(op, "not run, because the configuration or the hooks of git have changed since the run began: "+
		strings.Join(changed[:min(len(changed), maxFaults)], ", "), nil, nil)
}

// isOwn reports whether a path is one of git itself that decides what git runs: not what only tells
// what was stashed.
func isOwn(p string) bool {
	return (p == ".git" || strings.HasPrefix(p, ".git/")) && p != stashLog
}

// stashLog is where git lists what is stashed.
const stashLog = ".git/logs/refs/stash"

// changedConfig returns the files of the configuration and the hooks that have changed and are not
// in git's directory.
func (g *Git) changedConfig(op string, st *state) ([]string, error) {
	var changed []string
	for _, files := range []rawMap[string]{st.Config, st.Hooks} {
		for name, was := range files {
			if g.within(string(name)) {
				continue
			}
			now, err := g.contentName(string(name))
			if err != nil {
				return nil, fault(op, "", []string{string(name)}, err)
			}
			if now != was {
				changed = append(changed, string(name))
			}
		}
	}
	return changed, nil
}

// within reports whether a file is in git's directory, where it is looked at as what it is.
func (g *Git) within(name string) bool {
	for _, dir := range []string{g.dir, g.common} {
		if strings.HasPrefix(name, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
