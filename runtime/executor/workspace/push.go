package workspace

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
)

// Push delivers, and pushes the branch of the result with the remotes and credentials of the
// person. In place, it pushes the branch that is checked out. It never forces.
func (s *Space) Push(ctx context.Context) error {
	return s.operate(loop.OpPush, func() {
		s.requireSamePerson(ctx)
		remote, branch, _ := s.target(ctx)
		args := []string{"push", "--porcelain", "--no-follow-tags"}
		if !s.opts.Hooks {
			args = append(args, "--no-verify")
		}
		if tip, _ := s.deliver(ctx); tip != "" {
			s.git(ctx, command{at: inRemote, hooks: s.opts.Hooks,
				args: append(args, "--", remote, tip+":refs/heads/"+branch)})
		}
	})
}

// target returns where the result is pushed, its branch there, and the branch into which a pull
// request merges it.
func (s *Space) target(ctx context.Context) (remote, branch, base string) {
	const format = "--format=%(push:remotename)%00%(upstream:remoteref)"
	remote, base, _ = strings.Cut(s.users(ctx, "for-each-ref", format, cmp.Or(s.state.Ref, "refs/none")), "\x00")
	branch = s.opts.Branch
	if s.opts.InPlace {
		if branch = short(s.state.Ref); branch == "" {
			s.fail("layout", "HEAD is detached: no branch is checked out")
		}
	}
	return cmp.Or(s.opts.Remote, remote, "origin"), branch, short(cmp.Or(base, s.state.Ref))
}

// OpenPR opens a pull request for the branch of the result, and returns its web address, or that of
// one that is open already.
func (s *Space) OpenPR(ctx context.Context, title, body string) (address string, err error) {
	return operate(s, loop.OpPR, func() string {
		if s.requireSamePerson(ctx); len(s.opts.PR) == 0 {
			s.fail("unset", "no command that opens pull requests is configured")
		}
		_, branch, base := s.target(ctx)
		title, _, _ = strings.Cut(cleanMessage(title, s.run), "\n")
		title = strings.TrimLeft(title, "-") // which would be an option
		values := strings.NewReplacer("{title}", title, "{branch}", branch, "{base}", base)
		for _, argv := range [][]string{s.opts.FindPR, s.opts.PR} {
			if s.err != nil || len(argv) == 0 {
				continue
			}
			filled := slices.Clone(argv)
			for i, arg := range argv[1:] {
				filled[i+1] = values.Replace(arg)
			}
			out := s.program(ctx, filled[0], filled[1:], command{at: inRemote, stdin: cleanMessage(body, s.run)})
			if address := lastURL(out); address != "" {
				return address
			}
		}
		return ""
	})
}

// lastURL returns the last line that is a web address, or "".
func lastURL(out string) (found string) {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if u, err := url.Parse(line); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			found = line
		}
	}
	return found
}
