package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// rootModule is the module path of the root, which all published modules have as a prefix.
const rootModule = "github.com/errgen/errgen"

// nested is a published module below the root.
type nested struct {
	dir string // with slashes, such as runtime/rpc
	mod *modfile.File
}

// path returns the module path; that of the root if m is zero.
func (m nested) path() string { return path.Join(rootModule, m.dir) }

// release prepares a version in a clone of the current repository, and prints the tags.
func release(version string, write bool) error {
	repo, err := os.Getwd()
	if err != nil {
		return err
	}
	git := command{dir: repo}
	if err := checkVersion(git, version); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "errgen-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	clone := command{dir: filepath.Join(work, "errgen")}
	if _, err := git.output("git", "clone", "-q", "--no-tags", repo, clone.dir); err != nil {
		return err
	}
	p, err := newProxy(work)
	if err != nil {
		return err
	}
	clone.env = p.env

	modules, err := prepare(clone, p, version, time.Now())
	if err != nil {
		return err
	}
	if err := verify(clone, p, modules, version); err != nil {
		return err
	}
	tags := []string{version}
	for _, m := range modules {
		tags = append(tags, m.dir+"/"+version)
	}
	if write {
		if err := publish(git, clone.dir, tags); err != nil {
			return err
		}
	}
	fmt.Printf("%d modules are ready for %s. Tags, in the order in which to push them:\n", len(tags), version)
	for _, tag := range tags {
		fmt.Println("  git push origin", tag)
	}
	if !write {
		fmt.Println("This was a trial, which changed nothing. Add -write to make the commits and the tags.")
	}
	return nil
}

// checkVersion refuses a version that cannot follow the tags, and a tree with uncommitted changes.
func checkVersion(git command, version string) error {
	if semver.Canonical(version) != version || semver.Build(version) != "" {
		return fmt.Errorf("%q is not a version such as v0.1.0", version)
	}
	if status, err := git.output("git", "status", "--porcelain"); err != nil {
		return err
	} else if status != "" {
		return fmt.Errorf("the tree has changes, commit or remove them:\n%s", status)
	}
	tags, err := git.output("git", "tag", "--list", "v*")
	if err != nil {
		return err
	}
	for tag := range strings.FieldsSeq(tags) {
		if semver.Compare(version, tag) <= 0 {
			return fmt.Errorf("%s does not follow the tag %s", version, tag)
		}
	}
	return nil
}

// prepare makes the two commits of a release in a clone, and adds every module to the proxy.
func prepare(clone command, p *proxy, version string, now time.Time) ([]nested, error) {
	if err := dateChangelog(filepath.Join(clone.dir, "CHANGELOG.md"), version, now); err != nil {
		return nil, err
	}
	if err := clone.commit("changelog: date " + version); err != nil {
		return nil, err
	}
	if err := p.add(clone.dir, "", version); err != nil {
		return nil, err
	}
	modules, err := published(clone.dir)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		for _, require := range m.mod.Require {
			if strings.HasPrefix(require.Mod.Path, rootModule+"/") {
				return nil, fmt.Errorf("%s requires %s, but nested modules may require the root only",
					m.dir, require.Mod.Path)
			}
		}
		if err := m.setVersion(clone, version); err != nil {
			return nil, err
		}
	}
	if err := clone.commit("release: set the versions of " + version); err != nil {
		return nil, err
	}
	for _, m := range modules {
		if err := p.add(clone.dir, m.dir, version); err != nil {
			return nil, err
		}
	}
	return modules, nil
}

// dateChangelog replaces "(unreleased)" in the heading of a version by the day.
func dateChangelog(name, version string, now time.Time) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	heading := "\n## " + version + " (unreleased)\n"
	before, after, ok := strings.Cut(string(b), heading)
	if !ok {
		return fmt.Errorf("CHANGELOG.md has no section %q", strings.TrimSpace(heading))
	}
	dated := fmt.Sprintf("\n## %s (%s)\n", version, now.UTC().Format(time.DateOnly))
	return os.WriteFile(name, []byte(before+dated+after), 0o644)
}

// published returns the nested modules of the workspace that users can require: those whose import
// path is their directory below the root, except benchmarks and tests of several modules.
func published(root string) ([]nested, error) {
	b, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", b, nil)
	if err != nil {
		return nil, err
	}
	var modules []nested
	for _, use := range work.Use {
		dir := strings.TrimPrefix(use.Path, "./")
		if !strings.HasPrefix(dir, "runtime/") && dir != "vet" {
			continue
		}
		name := filepath.Join(root, filepath.FromSlash(dir), "go.mod")
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		mod, err := modfile.Parse(name, b, nil)
		if err != nil {
			return nil, err
		}
		m := nested{dir: dir, mod: mod}
		if mod.Module.Mod.Path != m.path() {
			return nil, fmt.Errorf("%s: the module is %s, not %s", dir, mod.Module.Mod.Path, m.path())
		}
		modules = append(modules, m)
	}
	return modules, nil
}

// setVersion makes a module require the root's version, without a replacement. The proxy must have
// that version, because go.sum gets its hash.
func (m nested) setVersion(clone command, version string) error {
	if err := m.mod.AddRequire(rootModule, version); err != nil {
		return err
	}
	var errs []error
	for _, r := range m.mod.Replace {
		if !strings.HasPrefix(r.Old.Path, rootModule) {
			errs = append(errs, fmt.Errorf("%s replaces %s, which its users would not", m.dir, r.Old.Path))
		}
		errs = append(errs, m.mod.DropReplace(r.Old.Path, r.Old.Version))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	m.mod.Cleanup()
	b, err := m.mod.Format()
	if err != nil {
		return err
	}
	clone.dir = filepath.Join(clone.dir, filepath.FromSlash(m.dir))
	if err := os.WriteFile(filepath.Join(clone.dir, "go.mod"), b, 0o644); err != nil {
		return err
	}
	_, err = clone.output("go", "mod", "tidy")
	return err
}

// publish brings the commits of a clone and the tags into the repository. The current branch gets
// the dated changelog.
func publish(git command, clone string, tags []string) error {
	if _, err := git.output("git", "fetch", "-q", "--no-tags", clone, "HEAD"); err != nil {
		return err
	}
	commit, err := git.output("git", "rev-parse", "FETCH_HEAD")
	if err != nil {
		return err
	}
	commit = strings.TrimSpace(commit)
	if _, err := git.output("git", "merge", "-q", "--ff-only", commit+"^"); err != nil {
		return err
	}
	for _, tag := range tags {
		if _, err := git.output("git", "tag", "-a", "-m", "errgen "+tag, tag, commit); err != nil {
			return err
		}
	}
	return nil
}
