package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The trailers by which a commit is known to be an attempt's.
const (
	trailerRun     = "Errgen-Run"
	trailerAttempt = "Errgen-Attempt"
)

const (
	maxMessage = 32 << 10 // bytes of a commit's message
	maxHistory = 1000     // commits in which one of ours is looked for
)

// cleanMessage makes a message of untrusted text: no control characters, no line that passes for
// one of our trailers, not too long and not empty.
func cleanMessage(s, run string) string {
	if len(s) > maxMessage {
		s = text.Head(s, maxMessage)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return ' '
		}
		return r
	}, s)
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		if strings.HasPrefix(strings.ToLower(strings.TrimLeft(line, " \t")), "errgen-") {
			line = "> " + line
		}
		lines[i] = line
	}
	if s = strings.Join(lines, "\n"); s == "" {
		return "errgen: run " + run
	}
	return s
}

// trailers are the lines that name a run and an attempt.
func trailers(run string, attempt int) string {
	return trailerRun + ": " + run + "\n" + trailerAttempt + ": " + strconv.Itoa(attempt) + "\n"
}

// text returns the message of the commit.
func (c *committing) text(ctx context.Context) (string, error) {
	text := cleanMessage(c.Message, c.Run) + "\n\n" + trailers(c.Run, c.Attempt)
	if !c.opts.Hooks {
		return text, nil
	}
	file := filepath.Join(c.temp, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(text), privateFile); err != nil {
		return "", fault(opCommit, "", nil, err)
	}
	if err := c.hook(ctx, c.st, hookCommitMsg, c.index(), file); err != nil {
		return "", err
	}
	b, err := readBounded(file)
	if err != nil {
		return "", fault(opCommit, "", nil, err)
	}
	if !strings.HasSuffix(string(b), trailers(c.Run, c.Attempt)) {
		return "", fault(opCommit, "the commit-msg hook has removed the trailers that name the run", nil, nil)
	}
	return string(b), nil
}

// unchangedBy returns an error when a hook has changed what is to be committed: nobody has judged
// that.
func (c *committing) unchangedBy(ctx context.Context, hook, tree string) error {
	if !c.opts.Hooks {
		return nil
	}
	now, err := c.writeTree(ctx)
	if err != nil {
		return err
	}
	if now != tree {
		return fault(opCommit, "the "+hook+" hook has changed what is to be committed", nil, nil)
	}
	return nil
}

// Committed looks for the attempt's commit in the last 1000 commits of the branch.
func (g *Git) Committed(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opCommit, c.Run); err != nil {
		return executor.CommitDone{}, err
	}
	id, err := g.find(ctx, c.Run, c.Attempt)
	if err == nil && id != "" {
		err = g.makeShadow(ctx, opCommit)
	}
	if err != nil {
		return executor.CommitDone{}, err
	}
	return g.done(ctx, id)
}

// find returns the commit whose trailers name a run and an attempt.
func (g *Git) find(ctx context.Context, run string, attempt int) (string, error) {
	refs, err := g.readRefs()
	if err != nil {
		return "", fault(opCommit, "", nil, err)
	}
	head := refs.commit()
	if !isID(head) {
		return "", nil
	}
	format := "%H%x00%(trailers:key=" + trailerRun + ",valueonly,separator=%x0A)%x00%(trailers:key=" + trailerAttempt +
		",valueonly,separator=%x0A)"
	out, err := g.git(ctx, call{op: opCommit, args: []string{
		"log", "-z", "--max-count=" + strconv.Itoa(maxHistory), "--no-show-signature", "--format=tformat:" + format,
		"--end-of-options", head,
	}})
	if err != nil {
		return "", err
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if strings.TrimSpace(fields[i+1]) == run && strings.TrimSpace(fields[i+2]) == strconv.Itoa(attempt) {
			return fields[i], nil
		}
	}
	return "", nil
}

// withFiles names the files in evidence that names none.
func withFiles(err error, files []string) error {
	var ev *taxonomy.Evidence
	if errors.As(err, &ev) && len(ev.Files) == 0 {
		ev.Files = files
	}
	return err
}
