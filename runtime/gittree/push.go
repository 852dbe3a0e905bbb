package gittree

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Push pushes the branch that is checked out to where the user's configuration sends it
// (branch.NAME.pushRemote, remote.pushDefault, the upstream), or to the branch of the same name in
// [Options.Remote]. It never forces. It has the environment of this process, which may contain the
// credentials.
func (s *Space) Push(ctx context.Context) error {
	return s.operate(opPush, func() error { return s.push(ctx) })
}

func (s *Space) push(ctx context.Context) error {
	if err := s.unmoved(ctx); err != nil {
		return err
	}
	remote, branch, to, err := s.target(ctx)
	if err != nil {
		return err
	}
	args := []string{"push", "--porcelain", "--no-follow-tags"}
	if !s.opts.Hooks {
		args = append(args, "--no-verify")
	}
	_, err = s.git(ctx, command{in: inRemote,
		args: append(args, "--", remote, "refs/heads/"+branch+":refs/heads/"+to)})
	return err
}

// target returns where the branch that is checked out is pushed.
func (s *Space) target(ctx context.Context) (remote, branch, to string, err error) {
	refs, err := s.readRefs()
	if err != nil {
		return "", "", "", err
	}
	branch, ok := strings.CutPrefix(refs["HEAD"], "ref: refs/heads/")
	if !ok {
		return "", "", "", fault("", "HEAD is detached: no branch is checked out", nil)
	}
	const format = "--format=%(push:remotename)%00%(upstream:remotename)%00%(upstream:remoteref)"
	out, err := s.users(ctx, command{}, "for-each-ref", format, "refs/heads/"+branch)
	if err != nil {
		return "", "", "", err
	}
	config := strings.Split(out, "\x00")
	if len(config) < 3 {
		return "", "", "", fault("", "the branch "+branch+" has no commit", nil)
	}
	remote, to = cmp.Or(config[0], s.opts.Remote), branch
	if name, ok := strings.CutPrefix(config[2], "refs/heads/"); ok && remote == config[1] {
		to = name
	}
	return remote, branch, to, nil
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

// OpenPR opens a pull request for the branch that is checked out, and returns its web address, or
// that of one that is open already.
func (s *Space) OpenPR(ctx context.Context, title, body string) (address string, err error) {
	return operate(s, opPR, nil, func() (string, error) { return s.openPR(ctx, title, body) })
}

func (s *Space) openPR(ctx context.Context, title, body string) (string, error) {
	if len(s.opts.PR) == 0 {
		return "", fault("unset", "no command that opens pull requests is configured", nil)
	}
	if err := s.unmoved(ctx); err != nil {
		return "", err
	}
	_, branch, base, err := s.target(ctx)
	if err != nil {
		return "", err
	}
	title, _, _ = strings.Cut(cleanMessage(title, s.run), "\n")
	values := strings.NewReplacer(placeTitle, title, placeBranch, branch, placeBase, base)
	if len(s.opts.FindPR) > 0 {
		if found, err := s.runPR(ctx, s.opts.FindPR, values, ""); err != nil || found != "" {
			return found, err
		}
	}
	return s.runPR(ctx, s.opts.PR, values, cleanMessage(body, s.run))
}

func (s *Space) runPR(ctx context.Context, argv []string, values *strings.Replacer, body string) (string, error) {
	filled := slices.Clone(argv)
	for i, arg := range argv[1:] {
		filled[i+1] = values.Replace(arg)
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTimeout)
	defer cancel()
	out, err := s.runProgram(limited, filled, s.root, processEnv(), body)
	return lastURL(out), err
}

// lastURL returns the last line that is a web address, or "".
func lastURL(out string) string {
	found := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if u, err := url.Parse(line); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			found = line
		}
	}
	return found
}
