package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/gitfile"
)

// version is a release as in semantic versioning: v1.4.2 is {1, 4, 2}.
type version [3]int

// parseVersion reads a version of a release, which has no suffix.
func parseVersion(text string) (v version, ok bool) {
	rest, ok := strings.CutPrefix(text, "v")
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != len(v) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if v[i] = n; err != nil || strconv.Itoa(n) != part || n < 0 {
			return v, false
		}
	}
	return v, true
}

func (v version) String() string { return fmt.Sprintf("v%d.%d.%d", v[0], v[1], v[2]) }

// breaks returns the first version after v that may break its users: the next major version, or
// below v1 the next minor one.
func (v version) breaks() version {
	if v[0] == 0 {
		return version{0, v[1] + 1, 0}
	}
	return version{v[0] + 1, 0, 0}
}

// lastRelease returns the tag of the last version before next, of the module that contains a
// taxonomy. The tags of a nested module begin with its directory.
func (s *session) lastRelease(next version, taxonomy string) (tag string, last version, err error) {
	if taxonomy == stdinArg {
		return "", last, usagef("breaking: name the taxonomy's file in place of standard input")
	}
	tags, prefix, err := gitfile.Tags(s.ctx, filepath.Dir(s.path(taxonomy)))
	if err != nil {
		return "", last, fmt.Errorf("breaking: read tags: %w", err)
	}
	for dir := strings.TrimSuffix(prefix, "/"); tag == ""; dir = strings.TrimPrefix(path.Dir(dir), ".") {
		for _, t := range tags {
			v, ok := parseVersion(strings.TrimPrefix(strings.TrimPrefix(t, dir), "/"))
			if ok && path.Join(dir, v.String()) == t && slices.Compare(v[:], next[:]) < 0 &&
				(tag == "" || slices.Compare(v[:], last[:]) > 0) {
				tag, last = t, v
			}
		}
		if dir == "" {
			break
		}
	}
	return tag, last, nil
}
