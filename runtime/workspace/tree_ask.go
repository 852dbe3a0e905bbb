package workspace

import (
	"bytes"
	"path"
	"strings"
)

// maxAsked is how many paths below new directories are asked about before git has said whether the
// directories are ignored. It saves a git command for each level of them.
const maxAsked = 4096

// settle asks git about what is new, level by level, and looks at what is not ignored.
func (s *scan) settle() error {
	for len(s.asks) > 0 {
		asks := s.asks
		s.asks = nil
		var err error
		if asks, err = s.expand(asks); err != nil {
			return err
		}
		ignored, err := s.checkIgnore(asks)
		if err != nil {
			return err
		}
		if err := s.answered(asks, ignored); err != nil {
			return err
		}
	}
	return nil
}

// expand adds what is in new directories, as long as that is not much.
func (s *scan) expand(asks []ask) ([]ask, error) {
	for i := 0; i < len(asks) && len(asks) < maxAsked; i++ {
		a := &asks[i]
		if !a.dir || a.git {
			continue
		}
		list, err := s.tryDir(a.path)
		if err != nil {
			continue // said when it is known that it is not ignored
		}
		a.expanded, a.empty = true, len(list) == 0
		dir := a.path
		for _, d := range list {
			asks = append(asks, ask{path: under(dir, d.Name()), dir: d.IsDir(), git: ofGit(d.Name())})
		}
	}
	return asks, nil
}

// checkIgnore returns those of the paths that git ignores.
func (s *scan) checkIgnore(asks []ask) (map[string]struct{}, error) {
	if err := s.makeShadow(s.ctx, s.op); err != nil {
		return nil, err
	}
	var in bytes.Buffer
	for _, a := range asks {
		if !a.git {
			in.WriteString("./" + a.path + "\x00") // so that no name has a meaning
		}
	}
	out, err := s.git(s.ctx, call{
		op: s.op, shadow: true, magic: true, stdin: &in, none: 1,
		args: []string{"check-ignore", "-z", "--stdin", "--no-index"},
	})
	if err != nil {
		return nil, err
	}
	ignored := map[string]struct{}{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		ignored[strings.TrimPrefix(p, "./")] = struct{}{}
	}
	return ignored, nil
}

// answered looks at the paths in the light of what is ignored. Directories come before what is in
// them.
func (s *scan) answered(asks []ask, ignored map[string]struct{}) error {
	skip := map[string]struct{}{}
	for _, a := range asks {
		if _, ok := skip[path.Dir(a.path)]; ok {
			if a.dir {
				skip[a.path] = struct{}{}
			}
			continue
		}
		_, isIgnored := ignored[a.path]
		s.rules = s.rules || path.Base(a.path) == ".gitignore"
		if err := s.answer(a, isIgnored, skip); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) answer(a ask, ignored bool, skip map[string]struct{}) error {
	switch {
	case a.git:
		return s.otherRepository(a.path, a.dir)
	case ignored:
		s.hidden = append(s.hidden, a.path)
		if a.dir {
			skip[a.path] = struct{}{}
			return s.belowIgnored(a.path)
		}
		return s.watched(a.path)
	case !a.dir:
		return s.file(a.path, nil, false)
	case a.empty:
		s.found[a.path] = s.directory(a.path)
	case !a.expanded:
		return s.enter(a.path)
	}
	return nil
}
