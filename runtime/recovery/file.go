package recovery

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxFiles bounds the files that a command is given.
	maxFiles = 16
	// maxCandidates bounds the places that are looked at in a failure's texts.
	maxCandidates = 256
	maxPath       = 1 << 10
)

// filesIn returns the regular files below a directory that a failure names, as arguments that can
// be nothing else.
func filesIn(dir string, s said) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the working tree: %w", err)
	}
	defer root.Close()
	candidates := slices.Clone(s.files[:min(len(s.files), maxCandidates)])
	for _, text := range s.texts {
		for _, l := range locationsIn(text, maxCandidates) {
			candidates = append(candidates, l.file)
		}
	}
	var files []string
	for _, c := range candidates[:min(len(candidates), 2*maxCandidates)] {
		name, ok := relative(dir, c)
		if ok && isArgument(name) && isFile(root, name) && !slices.Contains(files, name) {
			if files = append(files, name); len(files) == maxFiles {
				break
			}
		}
	}
	return files, nil
}

// relative returns a path as one below the directory, with slashes.
func relative(dir, name string) (string, bool) {
	if name == "" || len(name) > maxPath {
		return "", false
	}
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(dir, filepath.Clean(name))
		if err != nil {
			return "", false
		}
		name = rel
	}
	name = strings.ReplaceAll(filepath.ToSlash(name), `\`, "/")
	if strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..") {
		return "", false
	}
	name = path.Clean(name)
	return name, filepath.IsLocal(filepath.FromSlash(name))
}

// isArgument reports whether a path can only be read as a path: plain characters, and a first one
// that no tool takes for the beginning of an option, of a list of arguments or of a home directory.
func isArgument(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.EqualFold(part, ".git") || strings.HasPrefix(part, "-") {
			return false
		}
	}
	for i := range len(name) {
		c := name[i]
		if !isAlphanumeric(c) && c != '_' && c != '.' && (i == 0 || !strings.ContainsRune("/-+@", rune(c))) {
			return false
		}
	}
	return name != "." && name != ""
}

// isFile reports whether a path is that of a regular file, and no part of it a symbolic link.
func isFile(root *os.Root, name string) bool {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if info, err := root.Lstat(filepath.FromSlash(name[:i])); err != nil || !info.IsDir() {
			return false
		}
	}
	info, err := root.Lstat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

func isAlphanumeric(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
