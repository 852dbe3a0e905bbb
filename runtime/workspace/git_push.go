package workspace

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/proc"
)

// Push pushes the current branch to where the user's configuration says (branch.NAME.pushRemote,
// remote.pushDefault, the upstream), or to the branch of the same name in [Options.Remote]. It
// names the one reference that is pushed, and never forces. It runs with the environment of this
// process, since that may be what authenticates it.
func (g *Git) Push(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	remote, refspec, err := g.target(ctx, opPush)
	if err != nil {
		return err
	}
	_, err = g.git(
		ctx, call{op: opPush, remote: true,
			args: []string{"push", "--no-follow-tags", "--no-thin", "--", remote, refspec}})
	return err
}

// target returns where the current branch is pushed.
func (g *Git) target(ctx context.Context, op string) (remote, refspec string, err error) {
	if err := g.trustedLast(ctx, op); err != nil {
		return "", "", err
	}
	refs, err := g.readRefs()
	if err != nil {
		return "", "", fault(op, "", nil, err)
	}
	branch, ok := strings.CutPrefix(refs.branch(), "refs/heads/")
	if !ok {
		return "", "", fault(op, "HEAD is detached: there is no branch to push", nil, nil)
	}
	if refs.commit() == "" {
		return "", "", fault(op, "there is no commit to push", nil, nil)
	}
	config := func(key string) string {
		if err != nil {
			return ""
		}
		var out []byte
		out, err = g.git(ctx, call{op: op, args: []string{"config", "--null", "--get", key}, none: 1})
		return strings.TrimRight(string(out), "\x00")
	}
	upstream, merge := config("branch."+branch+".remote"), config("branch."+branch+".merge")
	for _, remote = range []string{config("branch." + branch + ".pushRemote"), config("remote.pushDefault"), upstream,
		g.opts.Remote} {
		if remote != "" {
			break
		}
	}
	if err != nil {
		return "", "", err
	}
	to := "refs/heads/" + branch
	if remote == upstream && strings.HasPrefix(merge, "refs/heads/") {
		to = merge
	}
	return remote, "refs/heads/" + branch + ":" + to, nil
}

// trustedLast is trusted for the run that was worked for last.
func (g *Git) trustedLast(ctx context.Context, op string) error {
	if g.last == nil {
		return nil
	}
	st, err := g.state(op, g.last.run)
	if err != nil {
		return err
	}
	return g.trusted(ctx, op, g.last, st)
}

// The placeholders of a command that opens a pull request.
const (
	placeTitle  = "{title}"
	placeBranch = "{branch}"
	placeBase   = "{base}"
)

var errPlaceholder = errors.New(
	"an argument of the pull request's command begins with a placeholder: its value could be an option")

func checkPR(argv []string) error {
	for _, arg := range argv {
		if strings.HasPrefix(arg, "{title}") || strings.HasPrefix(arg, "{branch}") || strings.HasPrefix(arg, "{base}") {
			return errPlaceholder
		}
	}
	return nil
}

// OpenPR runs the command of [Options.PR].
func (g *Git) OpenPR(ctx context.Context, title, body string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.opts.PR) == 0 {
		return "", fault(opPR, "no command that opens pull requests is configured", nil, nil)
	}
	_, refspec, err := g.target(ctx, opPR)
	if err != nil {
		return "", err
	}
	branch, base, _ := strings.Cut(refspec, ":")
	title, _, _ = strings.Cut(cleanMessage(title, ""), "\n")
	replace := strings.NewReplacer(placeTitle, title,
		placeBranch, strings.TrimPrefix(branch, "refs/heads/"), placeBase, strings.TrimPrefix(base, "refs/heads/"))
	args := make([]string, 0, len(g.opts.PR)-1)
	for _, arg := range g.opts.PR[1:] {
		args = append(args, replace.Replace(arg))
	}
	return g.runPR(ctx, args, body)
}

func (g *Git) runPR(ctx context.Context, args []string, body string) (string, error) {
	limited, cancel := context.WithTimeoutCause(ctx, g.opts.Timeout, errTimeout)
	defer cancel()
	stdout, stderr := proc.NewTail(maxErrors), proc.NewTail(maxErrors)
	exit, err := proc.Run(limited, proc.Command{
		Path: g.opts.PR[0], Args: args, Dir: g.root, Env: append(withoutGit(os.Environ()), g.opts.Env...),
		Stdin: strings.NewReader(cleanMessage(body, "")), Stdout: stdout, Stderr: stderr, Grace: 2 * time.Second,
	})
	if ctx.Err() != nil {
		return "", ended(ctx)
	}
	if ev := proc.Failure(sourceGit, opPR, g.opts.PR[0], exit, err); ev != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			ev.Text = text
		}
		ev.Output = stdout.String()
		return "", ev
	}
	return lastURL(stdout.String()), nil
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
