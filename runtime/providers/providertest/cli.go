package providertest

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// driver is the source of the program, which records the call and runs the script of the next step.
//
//go:embed fixtures/driver.sh
var driver string

// CLI is a program that imitates Claude Code's command line. It is a script for /bin/sh, which runs
// as a real process and needs a Unix system.
//
//	cli, err := providertest.NewCLI(t.TempDir(),
//		providertest.CLIFixture("claude/overloaded"),
//		providertest.CLIAnswer("done\nTASK COMPLETE").Write("a.txt", "hello"),
//	)
//	provider, err := claudecli.New(claudecli.Options{Path: cli.Path})
//
// Each run plays the next step. The number of runs is in files beside the program, so that it
// survives the test's process. A run with "--version" plays no step.
type CLI struct {
	// Path is the program.
	Path string

	dir   string // of the steps and the calls
	steps int
}

// NewCLI creates a program in dir that plays the steps. The directory should be outside of the
// working tree.
func NewCLI(dir string, steps ...CLIStep) (*CLI, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("the scripted program needs /bin/sh")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &CLI{Path: filepath.Join(dir, "claude"), dir: filepath.Join(dir, "claude.d")}
	for _, sub := range []string{"steps", "calls"} {
		if err := os.MkdirAll(filepath.Join(c.dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	// The program is complete before it gets its name, because a file that is open for writing
	// cannot be executed.
	script := strings.Replace(driver, "DIRECTORY", quote(c.dir), 1)
	if err := os.WriteFile(c.Path+".new", []byte(script), 0o700); err != nil {
		return nil, err
	}
	if err := os.Rename(c.Path+".new", c.Path); err != nil {
		return nil, err
	}
	return c, c.Add(steps...)
}

// Add appends steps.
func (c *CLI) Add(steps ...CLIStep) error {
	for _, s := range steps {
		c.steps++
		name := strconv.Itoa(c.steps)
		if s.Repeat {
			name += ".always"
		}
		if err := os.WriteFile(filepath.Join(c.dir, "steps", name+".sh"), []byte(s.script()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Version sets the script that answers "--version".
func (c *CLI) Version(script string) error {
	return os.WriteFile(filepath.Join(c.dir, "version.sh"), []byte(script), 0o600)
}

// CLICall is one run of the program.
type CLICall struct {
	// Args are its arguments.
	Args []string
	// Prompt is its standard input.
	Prompt string
	// Dir is its working directory.
	Dir string
	// Env are the names of the variables in its environment.
	Env []string
	// Retries is the value of CLAUDE_CODE_MAX_RETRIES.
	Retries string
	// PID is its process number.
	PID int
}

// Resumed returns the session that the call continued. It is empty if the call began a session.
func (c CLICall) Resumed() string {
	for _, arg := range c.Args {
		if session, ok := strings.CutPrefix(arg, "--resume="); ok {
			return session
		}
	}
	return ""
}

// Calls returns the runs so far, in order, including those that have not ended.
func (c *CLI) Calls() ([]CLICall, error) {
	var calls []CLICall
	for n := 1; ; n++ {
		dir := filepath.Join(c.dir, "calls", strconv.Itoa(n))
		pid, err := os.ReadFile(filepath.Join(dir, "pid")) // written last
		if errors.Is(err, fs.ErrNotExist) {
			return calls, nil
		}
		if err != nil {
			return nil, err
		}
		var files [5]string
		for i, name := range []string{"args", "prompt", "dir", "env", "retries"} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			files[i] = string(b)
		}
		call := CLICall{Prompt: files[1], Dir: strings.TrimSuffix(files[2], "\n"), Env: strings.Fields(files[3]),
			Retries: files[4]}
		if files[0] != "" {
			call.Args = strings.Split(strings.TrimSuffix(files[0], "\x00"), "\x00")
		}
		if call.PID, err = strconv.Atoi(strings.TrimSpace(string(pid))); err != nil {
			return nil, fmt.Errorf("read call %d: %w", n, err)
		}
		calls = append(calls, call)
	}
}

// Child returns the number of the process that the last step with a child left running, or 0 if it
// does not exist yet.
func (c *CLI) Child() int {
	b, _ := os.ReadFile(filepath.Join(c.dir, "child"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

// quote returns a text as one word for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
