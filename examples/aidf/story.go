package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
)

// story is told on temporary repositories, with real processes, real git and a real server. What is
// scripted is the agent alone. What happens is what any user of this program would see.
type story struct {
	narrator
	dir  string
	acts int
}

// variable names the directory of the story to its configurations.
const variable = "AIDF_STORY"

// tell tells the story and returns the exit code.
func (p *program) tell() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt kills
	dir, err := os.MkdirTemp("", "aidf-story-")
	if err != nil {
		fmt.Fprintln(p.hints, "aidf: begin the story:", err)
		return exitFailed
	}
	dir = real(dir)
	if !p.keep {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	s := &story{narrator: narrator{w: p.out, dir: dir}, dir: dir}
	if err := s.tell(ctx); err != nil {
		fmt.Fprintln(p.hints, "aidf: the story ended early:", err)
		return exitFailed
	}
	if p.keep {
		fmt.Fprintln(p.out, "\nThe story is kept in", dir)
	}
	return exitOK
}

// tell plays all acts.
func (s *story) tell(ctx context.Context) error {
	if err := os.Setenv(variable, s.dir); err != nil {
		return err
	}
	s.say("An agent works on a repository, and much goes wrong. The agent is scripted; git, processes, files and "+
		"HTTP are real.",
		"Everything is in a temporary directory, which is called STORY here.")
	for _, act := range []func(context.Context) error{s.badDay, s.overHTTP, s.unattended, s.killed, s.answered, s.neverBegun} {
		err := act(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return s.err
}

// scene is what the story adds to what the program says of a run.
type scene struct {
	// titles are said when an iteration begins.
	titles map[int]string
	// after is told of every event once the program has said what it is.
	after func(e executor.Event)
}

// watch returns observers around the one that shows progress.
func (s *story) watch(sc scene) func(executor.Observer) executor.Observer {
	return func(shown executor.Observer) executor.Observer {
		return executor.Observers(
			observer(func(e executor.Event) {
				if title := sc.titles[e.Iteration]; title != "" && e.Kind == executor.IterationStarted {
					s.chapter(title)
				}
			}),
			shown,
			observer(func(e executor.Event) {
				if sc.after != nil {
					sc.after(e)
				}
			}),
		)
	}
}

type observer func(e executor.Event)

// Observe calls the function.
func (f observer) Observe(e executor.Event) { f(e) }

// play runs the program as the options say, and tells its exit code.
func (s *story) play(ctx context.Context, o options, sc scene) {
	never := false
	p := &program{options: o, out: &s.narrator, hints: &s.narrator, around: s.watch(sc)}
	p.screen = terminal.New(&s.narrator, terminal.Options{Live: &never, Color: &never})
	code := p.perform(ctx)
	_ = p.screen.Close()
	s.line("exit code %d", code)
}

// stage is a repository with what a run in it needs, each in a directory of its own.
type stage struct {
	*repository
	options options
}

// file writes a file beside the repository and returns where it is.
func (s *stage) file(name, content string) string {
	path := filepath.Join(filepath.Dir(s.dir), name)
	s.check(os.WriteFile(path, []byte(content), 0o600))
	return path
}

// narrator writes what the story says, and keeps the first thing that goes wrong in telling it.
type narrator struct {
	w   io.Writer
	dir string // is called STORY
	err error
}

// Write writes whole lines.
func (n *narrator) Write(b []byte) (int, error) {
	text := strings.ReplaceAll(string(b), n.dir, "STORY")
	_, err := io.WriteString(n.w, text)
	n.check(err)
	return len(b), err
}

// check keeps the first error.
func (n *narrator) check(err error) {
	if n.err == nil {
		n.err = err
	}
}

func (n *narrator) line(format string, args ...any) { fmt.Fprintf(n, format+"\n", args...) }

func (n *narrator) say(lines ...string) {
	for _, l := range lines {
		n.line("%s", l)
	}
}

func (n *narrator) chapter(title string) { n.line("\n## %s", title) }

// aside says something beside what the program says.
func (n *narrator) aside(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), "\n")
	for l := range strings.SplitSeq(text, "\n") {
		n.line("%s", strings.TrimRight("    | "+l, " "))
	}
}

// act begins an act.
func (s *story) act(title string, lines ...string) {
	s.acts++
	s.line("\n# Act %d. %s\n", s.acts, title)
	s.say(lines...)
}
