package diag

import (
	"os"
	"path/filepath"
)

// FromRoot returns files with their names relative to the root of the repository that contains dir,
// to which their names are relative. Services show findings at such paths. Other files keep their
// names.
func FromRoot(dir string, files ...FileFindings) []FileFindings {
	dir, err := filepath.Abs(dir)
	root := repository(dir)
	if err != nil || root == "" {
		return files
	}
	var out []FileFindings
	for _, f := range files {
		if f.Source != nil && f.Source.Name != "-" {
			name := f.Source.Name
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
				f.Source = NewSource(filepath.ToSlash(rel), f.Source.Bytes)
			}
		}
		out = append(out, f)
	}
	return out
}

// repository returns the nearest parent of a directory with .git. Without one, it is the workspace
// of the job on GitHub, which can be a download without a repository.
func repository(dir string) string {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return os.Getenv("GITHUB_WORKSPACE")
		}
	}
}
