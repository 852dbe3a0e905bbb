package workspace

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Push delivers, and pushes the branch of the result with the remotes and credentials of the person.
// In place, it pushes the branch that is checked out. It never forces.
func (s *Space) Push(ctx context.Context) error {
	return s.operate(opPush, func() error {
		if err := s.requireSamePerson(ctx); err != nil {
			return err
		}
		tip, _, err := s.deliver(ctx)
		if err != nil || tip == "" {
			return err
		}
		remote, branch, _, err := s.target(ctx)
		if err != nil {
			return err
		}
		args := []string{"push", "--porcelain", "--no-follow-tags"}
		if !s.opts.Hooks {
			args = append(args, "--no-verify")
		}
		_, err = s.git(ctx, command{at: inRemote, hooks: s.opts.Hooks,
			args: append(args, "--", remote, tip+":refs/heads/"+branch)})
		return err
	})
}

// target returns where the result is pushed, its branch there, and the branch into which a pull
// request merges it.
func (s *Space) target(ctx context.Context) (remote, branch, base string, err error) {
	if s.opts.InPlace && s.state.Ref == "" {
		return "", "", "", fault("layout", "HEAD is detached: no branch is checked out", nil)
	}
	const format = "--format=%(push:remotename)%00%(upstream:remotename)%00%(upstream:remoteref)"
	out, err := s.users(ctx, 0, "for-each-ref", format, cmp.Or(s.state.Ref, "refs/none"))
	config := append(strings.Split(out, "\x00"), "", "")
	remote = cmp.Or(s.opts.Remote, config[0], "origin")
	base = strings.TrimPrefix(cmp.Or(config[2], s.state.Ref), "refs/heads/")
	branch = s.opts.Branch
	if s.opts.InPlace {
		if branch = strings.TrimPrefix(s.state.Ref, "refs/heads/"); remote == config[1] {
			branch = base
		}
	}
	return remote, branch, base, err
}

// The placeholders in the arguments of [Options.PR].
const (
	placeTitle  = "{title}"
	placeBranch = "{branch}"
	placeBase   = "{base}"
)

var errPlaceholder = errors.New("an argument begins with a placeholder: its value could be an option")

func checkPlaceholders(argv []string) error {
	for _, arg := range argv {
		for _, place := range []string{placeTitle, placeBranch, placeBase} {
			if strings.HasPrefix(arg, place) {
				return fault("invalid", "the command for pull requests", errPlaceholder)
			}
		}
	}
	return nil
}

// OpenPR opens a pull request for the branch of the result, and returns its web address, or that of
// one that is open already.
func (s *Space) OpenPR(ctx context.Context, title, body string) (address string, err error) {
	return operate(s, opPR, func() (string, error) { return s.openPR(ctx, title, body) })
}

func (s *Space) openPR(ctx context.Context, title, body string) (string, error) {
	if len(s.opts.PR) == 0 {
		return "", fault("unset", "no command that opens pull requests is configured", nil)
	}
	if err := s.requireSamePerson(ctx); err != nil {
		return "", err
	}
	_, branch, base, err := s.target(ctx)
	if err != nil {
		return "", err
	}
	title, _, _ = strings.Cut(cleanMessage(title, s.run), "\n")
	values := strings.NewReplacer(placeTitle, title, placeBranch, branch, placeBase, base)
	for _, argv := range [][]string{s.opts.FindPR, s.opts.PR} {
		if len(argv) == 0 {
			continue
		}
		filled := slices.Clone(argv)
		for i, arg := range argv[1:] {
			filled[i+1] = values.Replace(arg)
		}
		out, err := s.program(ctx, filled[0], filled[1:], command{at: inRemote,
			stdin: strings.NewReader(cleanMessage(body, s.run))})
		if address := lastURL(string(out)); err != nil || address != "" {
			return address, err
		}
	}
	return "", nil
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
