package workspace

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// The references of a run.
func checkedRef(run string) string  { return "refs/errgen/" + refPart(run) + "/checked" }
func previousRef(run string) string { return "refs/errgen/" + refPart(run) + "/previous" }

// Begin records the tree as it is, uncommitted work included. It reads every file that git does not
// ignore.
func (g *Git) Begin(ctx context.Context, run string) (executor.Checked, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opPrepare, run); err != nil {
		return "", err
	}
	if err := g.atRest(); err != nil {
		return "", err
	}
	if err := g.removeOwnLocks(opPrepare, run); err != nil {
		return "", err
	}
	g.made = false // the rules of what is ignored are those of now
	clear(g.passed)
	st, err := g.beginState(ctx, run)
	if err != nil {
		return "", err
	}
	tracked, dirs, err := g.tracked(ctx)
	if err != nil {
		return "", err
	}
	sc := &scan{
		Git: g, ctx: ctx, op: opPrepare, known: tracked, dirs: dirs, first: true,
		extras: g.extras(st), found: make(map[string]*entry, len(tracked)),
		of: run, perms: map[string]fs.FileMode{},
	}
	if err := sc.run(); err != nil {
		return "", err
	}
	s := &snapshot{run: run, entries: sc.found, ignored: setOf(sc.hidden), closed: setOf(sc.nowClosed)}
	have := map[string]struct{}{}
	for _, e := range tracked {
		have[e.id] = struct{}{}
	}
	if err := g.keep(ctx, opPrepare, s, slices.Sorted(maps.Keys(s.entries))); err != nil {
		return "", err
	}
	parents := g.alive(st)
	parents = append(parents, g.loggedOnly(ctx, st, parents)...)
	if staged := g.stagedOnly(ctx, st, tracked, s); staged != "" {
		parents = append(parents, staged)
	}
	if err := g.record(ctx, opPrepare, s, have, parents); err != nil {
		return "", err
	}
	st.Locks = rawMap[struct{}]{}
	for _, lock := range g.locksOf(st.Git, sc) {
		st.Locks[raw(lock)] = struct{}{}
	}
	st.Modules = rawMap[string]{}
	for _, repo := range sc.repos {
		st.Modules[raw(repo)] = ""
	}
	if err := g.rememberQuietly(opPrepare, st); err != nil {
		return "", err
	}
	if err := g.rememberDirs(opPrepare, run, sc.perms); err != nil {
		return "", err
	}
	if err := g.setState(opPrepare, st); err != nil {
		return "", err
	}
	if err := g.writeRef(checkedRef(run), string(s.id), false); err != nil {
		return "", fault(opPrepare, "", nil, err)
	}
	return s.id, nil
}

func setOf(list []string) map[string]struct{} {
	set := make(map[string]struct{}, len(list))
	for _, k := range list {
		set[k] = struct{}{}
	}
	return set
}

// beginState returns what is to be remembered of git itself.
func (g *Git) beginState(ctx context.Context, run string) (*state, error) {
	refs, err := g.readRefs()
	if err != nil {
		return nil, fault(opPrepare, "", nil, err)
	}
	st := &state{Run: run, Began: time.Now(), Git: refs, Others: g.others()}
	if _, err := os.Lstat(g.indexLock()); err == nil {
		st.Locked = true
	}
	if st.Config, err = g.configuration(ctx, opPrepare); err != nil {
		return nil, err
	}
	if g.opts.Hooks {
		err = g.pinHooks(ctx, st)
	}
	return st, err
}

// tracked returns what is in the user's index, and the directories of it.
func (g *Git) tracked(ctx context.Context) (files map[string]*entry, dirs map[string]struct{}, err error) {
	out, err := g.git(ctx, call{op: opPrepare, args: []string{"ls-files", "-z", "--stage", "--full-name"}})
	if err != nil {
		return nil, nil, err
	}
	files, dirs = map[string]*entry{}, map[string]struct{}{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" {
			continue
		}
		mode, id, p, err := listed(line)
		if err != nil {
			return nil, nil, fault(opPrepare, "", nil, err)
		}
		if !strings.HasSuffix(strings.SplitN(line, "\t", 2)[0], " 0") {
			return nil, nil, fault(opPrepare, "there are conflicts that are not resolved", []string{p}, nil)
		}
		ancestors(dirs, p)
		if mode == modeSubmodule {
			dirs[p] = struct{}{}
			continue
		}
		files[p] = &entry{mode: mode, id: id}
	}
	return files, dirs, nil
}

// modeSubmodule is the mode of a submodule in an index.
const modeSubmodule = 0o160000

// alive returns the commits that must not be collected as long as the run needs them: of every
// branch, and what is stashed.
func (g *Git) alive(st *state) []string {
	const limit = 500
	var ids []string
	add := func(id string) {
		if isID(id) && len(ids) < limit && !slices.Contains(ids, id) && strings.Trim(id, "0") != "" {
			ids = append(ids, id)
		}
	}
	add(st.Git.commit())
	for _, ref := range slices.Sorted(maps.Keys(st.Git.Refs)) {
		if strings.HasPrefix(string(ref), "refs/heads/") || ref == "refs/stash" {
			add(string(st.Git.Refs[ref]))
		}
	}
	log, err := os.ReadFile(filepath.Join(g.common, "logs", "refs", "stash"))
	if err != nil {
		return ids
	}
	for line := range strings.SplitSeq(string(log), "\n") {
		if f := strings.Fields(line); len(f) > 1 {
			add(f[1])
		}
	}
	return ids
}

// record makes the commit of a snapshot. Have are the contents that git has already.
func (g *Git) record(ctx context.Context, op string, s *snapshot, have map[string]struct{}, parents []string) error {
	text, err := s.encode()
	if err != nil {
		return fault(op, "", nil, err)
	}
	var items []item
	for _, p := range slices.Sorted(maps.Keys(s.entries)) {
		e := s.entries[p]
		if !e.inTree() {
			continue
		}
		it := item{path: p, mode: e.mode, id: e.id}
		if _, ok := have[e.id]; !ok {
			it.from = g.path(p)
		}
		items = append(items, it)
	}
	id, err := g.store(ctx, op, items, text, parents)
	if err != nil {
		return err
	}
	s.id = executor.Checked(id)
	g.remember(s.derive())
	return nil
}
