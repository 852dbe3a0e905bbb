package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
)

// checkAPI compares the Go API of each module with that of the last tag. It prints the incompatible
// changes, and fails if the next version, which is the first unreleased one of CHANGELOG.md, must
// not have any: below v1 a patch, and later everything but a new major version. tool is the package
// and the version of apidiff.
func checkAPI(repo command, tool string) error {
	tags, err := repo.output("git", "tag", "--list", "v*")
	if err != nil {
		return err
	}
	last := ""
	for tag := range strings.FieldsSeq(tags) {
		isRelease := semver.Canonical(tag) == tag && semver.Prerelease(tag) == ""
		if isRelease && (last == "" || semver.Compare(tag, last) > 0) {
			last = tag
		}
	}
	if last == "" {
		return nil
	}
	changelog, err := os.ReadFile(filepath.Join(repo.dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	heading, _, _ := strings.Cut(string(changelog), " (unreleased)\n")
	next := heading[strings.LastIndex(heading, "\n## ")+len("\n## "):]
	if !semver.IsValid(next) {
		return fmt.Errorf("CHANGELOG.md has no section \"## vX.Y.Z (unreleased)\" after %s", last)
	}

	work, err := os.MkdirTemp("", "errgen-api")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	base := command{dir: filepath.Join(work, "base"), env: repo.env}
	if _, err := repo.output("git", "clone", "-q", "--branch", last, repo.dir, base.dir); err != nil {
		return err
	}
	modules, err := published(base.dir)
	if err != nil {
		return err
	}
	broken := ""
	for _, m := range append([]nested{{}}, modules...) {
		now, old := repo, base
		now.dir, old.dir = filepath.Join(now.dir, m.dir), filepath.Join(old.dir, m.dir)
		export := filepath.Join(work, "export")
		if _, err := old.output("go", "run", tool, "-m", "-w", export, m.path()); err != nil {
			return err
		}
		changes, err := now.output("go", "run", tool, "-m", "-incompatible", export, m.path())
		if err != nil {
			return err
		}
		if changes != "" {
			broken += fmt.Sprintf("%s since %s:\n%s", m.path(), last, changes)
		}
	}
	fmt.Print(broken)
	mayBreak := semver.Major(next) != semver.Major(last) ||
		semver.Major(last) == "v0" && semver.MajorMinor(next) != semver.MajorMinor(last)
	if broken != "" && !mayBreak {
		return errors.New("these changes of the Go API are not allowed in " + next)
	}
	return nil
}
