package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// snapshot is a checked tree. It is a commit: its tree has what git can have, its message the rest.
// Its name thus says all of it, and nobody can change it without changing the name.
type snapshot struct {
	id      executor.Checked
	run     string
	entries map[string]*entry
	ignored map[string]struct{}
	closed  map[string]struct{}

	dirs    map[string]struct{} // the directories of what is not ignored
	gitDirs map[string]struct{}
}

// derive fills what follows from the entries.
func (s *snapshot) derive() *snapshot {
	s.dirs, s.gitDirs = map[string]struct{}{}, map[string]struct{}{}
	for p, e := range s.entries {
		if e.git {
			if i := strings.LastIndex(p, "/.git/"); i >= 0 {
				s.gitDirs[p[:i+len("/.git")]] = struct{}{}
			}
			continue
		}
		if !e.ignored {
			ancestors(s.dirs, p)
		}
	}
	for d := range s.gitDirs {
		ancestors(s.dirs, d)
	}
	return s
}

// ancestors adds the directories that p is in.
func ancestors(dirs map[string]struct{}, p string) {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if _, ok := dirs[d]; ok {
			return
		}
		dirs[d] = struct{}{}
	}
}

// message is what the message of a snapshot's commit says.
type message struct {
	Version int            `json:"version"`
	Run     string         `json:"run"`
	Entries []entryMessage `json:"entries,omitempty"`
	Ignored []raw          `json:"ignored,omitempty"`
	Closed  []raw          `json:"closed,omitempty"`
}

// entryMessage is an entry that a tree of git does not say, or not all of.
type entryMessage struct {
	Path    raw    `json:"path"`
	Mode    uint32 `json:"mode"`
	ID      string `json:"id,omitempty"`
	Perm    uint32 `json:"perm"`
	Kept    place  `json:"kept,omitempty"`
	Ignored bool   `json:"ignored,omitempty"`
	Git     bool   `json:"git,omitempty"`
}

const messageVersion = 1

// usual are the permissions of an entry of which nothing is said.
func usual(mode uint32) fs.FileMode {
	switch mode {
	case modeExec:
		return 0o755
	case modeLink:
		return 0o777
	}
	return 0o644
}

// inTree reports whether the entry is in the tree of the snapshot's commit.
func (e *entry) inTree() bool { return e.kept == inObjects && e.content() }

// encode returns the message of the snapshot's commit.
func (s *snapshot) encode() ([]byte, error) {
	m := message{Version: messageVersion, Run: s.run}
	for _, p := range slices.Sorted(maps.Keys(s.entries)) {
		e := s.entries[p]
		if e.inTree() && e.perm == usual(e.mode) && !e.ignored && !e.git {
			continue
		}
		m.Entries = append(m.Entries, entryMessage{
			Path: raw(p), Mode: e.mode, ID: e.id, Perm: uint32(e.perm), Kept: e.kept, Ignored: e.ignored, Git: e.git,
		})
	}
	m.Ignored, m.Closed = rawKeys(s.ignored), rawKeys(s.closed)
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("write a checked tree: %w", err)
	}
	return append([]byte("errgen: checked tree of run "+s.run+"\n\n"), b...), nil
}

func rawKeys(set map[string]struct{}) []raw {
	out := make([]raw, 0, len(set))
	for _, k := range slices.Sorted(maps.Keys(set)) {
		out = append(out, raw(k))
	}
	return out
}

// decode adds what the message of a commit says to what its tree has.
func (s *snapshot) decode(text string) error {
	_, body, ok := strings.Cut(text, "\n\n{")
	if !ok {
		return errNotChecked
	}
	var m message
	if err := json.Unmarshal([]byte("{"+body), &m); err != nil {
		return fmt.Errorf("read a checked tree: %w", err)
	}
	if m.Version != messageVersion {
		return fmt.Errorf("read a checked tree: version %d is not known", m.Version)
	}
	s.run = m.Run
	for _, e := range m.Entries {
		s.entries[string(e.Path)] = &entry{
			mode: e.Mode, id: e.ID, perm: fs.FileMode(e.Perm), kept: e.Kept, ignored: e.Ignored, git: e.Git,
		}
	}
	s.ignored, s.closed = rawSet(m.Ignored), rawSet(m.Closed)
	return nil
}

var errNotChecked = errors.New("the commit is not a checked tree")

func rawSet(list []raw) map[string]struct{} {
	set := make(map[string]struct{}, len(list))
	for _, k := range list {
		set[string(k)] = struct{}{}
	}
	return set
}
