package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// probedSettings are the settings of the format and the file system that git finds when it makes a
// repository.
var probedSettings = []string{
	"core.repositoryformatversion", "extensions.objectformat", "core.filemode", "core.symlinks", "core.ignorecase",
	"core.precomposeunicode",
}

// copiedSettings are the beginnings of the person's settings on which files and commits depend.
var copiedSettings = []string{
	"user.", "author.", "committer.", "commit.gpgsign", "gpg.", "filter.", "lfs.", "i18n.", "core.autocrlf",
	"core.eol", "core.attributesfile", "core.excludesfile", "core.sparsecheckout", "core.sparsecheckoutcone",
}

// programKeys are the settings that name programs, which git runs in the run's repository.
var programKeys = regexp.MustCompile(`^(filter\..*\.(clean|smudge|process)|gpg(\..*)?\.program)$`)

// writeConfig writes the configuration of the run's repository, from that of the person's. It has
// no remotes and no hooks.
func (s *Space) writeConfig(ctx context.Context) {
	var b strings.Builder
	b.WriteString("[core]\n\tbare = false\n\tprotectNTFS = false\n\tprotectHFS = false\n")
	for _, entry := range s.list(ctx, inRun, "config", "--local", "--list", "-z") {
		if key, value, _ := strings.Cut(entry, "\n"); slices.Contains(probedSettings, key) {
			writeSetting(&b, key, value)
		}
	}
	s.lfs = "lfs"
	for _, entry := range s.list(ctx, inUsers, "config", "--list", "-z") {
		key, value, _ := strings.Cut(entry, "\n")
		if key == "lfs.storage" {
			s.lfs = filepath.FromSlash(value)
		}
		if file := s.programInTree(value); file != "" && programKeys.MatchString(key) {
			s.fail("layout", key+" runs a file of the working tree, which an agent can change: "+value, file)
		}
		if slices.ContainsFunc(copiedSettings, func(begin string) bool { return strings.HasPrefix(key, begin) }) {
			writeSetting(&b, key, value)
		}
	}
	if !filepath.IsAbs(s.lfs) {
		s.lfs = filepath.Join(s.common, s.lfs)
	}
	writeSetting(&b, "lfs.storage", s.file("git/lfs"))
	s.do(func() error { return linkFiles(filepath.Join(s.lfs, "objects"), s.file("git/lfs/objects")) })
	s.do(func() error { return atomicfile.Replace(s.file("git/config"), []byte(b.String())) })
	for _, name := range []string{"info/exclude", "info/attributes", "info/sparse-checkout"} {
		s.do(func() error {
			from := s.common
			if name == "info/sparse-checkout" {
				from = s.user // each working tree has its own
			}
			content, err := os.ReadFile(filepath.Join(from, name))
			if err != nil && !notFound(err) {
				return err
			}
			for _, p := range s.opts.Link {
				if name == "info/exclude" { // "dir/" does not match a link to a directory
					content = append(content, "\n/"+escapePattern(filepath.ToSlash(filepath.Clean(p)))+"\n"...)
				}
			}
			return writeFile(s.file("git/"+name), content)
		})
	}
}

// writeFile writes a file and the directories above it.
func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o666)
}

// writeSetting writes a setting in the form of git's configuration files.
func writeSetting(b *strings.Builder, key, value string) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	section := key[:first]
	if first < last {
		section += " " + quoteSetting(key[first+1:last])
	}
	b.WriteString("[" + section + "]\n\t" + key[last+1:] + " = " + quoteSetting(value) + "\n")
}

func quoteSetting(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func escapePattern(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `).Replace(p)
}

// programInTree returns the part of a shell command that names a file of the working tree, or "".
// Without a slash, the first word is a program in PATH.
func (s *Space) programInTree(shell string) string {
	words := strings.FieldsFunc(shell, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()<>=$", r) })
	for i, word := range words {
		if word = filepath.FromSlash(word); i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue
		}
		for _, root := range []string{s.root, s.Dir()} {
			rel, in := inside(root, word)
			if !filepath.IsAbs(word) {
				rel, in = word, filepath.IsLocal(word)
			}
			if info, err := os.Stat(filepath.Join(root, rel)); in && err == nil && info.Mode().IsRegular() {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

// linkFiles links the files of a directory that are missing in another one, or copies them from
// another disk. Files of these names have one content: they are objects of Git LFS.
func linkFiles(from, to string) error {
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		dest := filepath.Join(to, strings.TrimPrefix(name, from))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(dest, 0o777)
		case exists(dest) || os.Link(name, dest) == nil:
			return nil
		}
		part := dest + atomicfile.TempSuffix
		_ = os.Remove(part)
		if err := copyTree(name, part); err != nil {
			return err
		}
		return os.Rename(part, dest)
	})
	if notFound(err) {
		return nil
	}
	return err
}
