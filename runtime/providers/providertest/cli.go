package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/filelock"
)

// CLI is a program that plays the part of Claude Code's command line: a real process of its own,
// with nothing installed. It is this very program under another name, so main, or TestMain, calls
// [CLIMain] before anything else:
//
//	func TestMain(m *testing.M) {
//		providertest.CLIMain()
//		os.Exit(m.Run())
//	}
//
//	cli, err := providertest.NewCLI(t.TempDir(),
//		providertest.CLIRateLimited(time.Now().Add(time.Minute)),
//		providertest.CLIAnswer("done\nTASK COMPLETE").Write("a.txt", "hello"),
//	)
//	provider, err := claudecli.New(claudecli.Options{Path: cli.Path})
//
// Each run plays the next step. Which one that is stands in a file beside the program, so it
// survives whoever runs it. "--version" plays no step.
type CLI struct {
	// Path is the program.
	Path string
}

// cliScript is what a program plays.
type cliScript struct {
	Steps   []CLIStep
	Version CLIStep
}

// NewCLI makes a program in dir that plays the steps. dir should be outside of the working tree.
func NewCLI(dir string, steps ...CLIStep) (*CLI, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	c := &CLI{Path: filepath.Join(dir, "claude")}
	if runtime.GOOS == "windows" {
		c.Path += ".exe"
	}
	if err := c.save(cliScript{Steps: steps}); err != nil {
		return nil, err
	}
	if err := alias(self, c.Path); err != nil {
		return nil, fmt.Errorf("make the program: %w", err)
	}
	return c, nil
}

// alias makes a program known under another name. Where there are no symbolic links, it is copied.
func alias(program, path string) error {
	if os.Symlink(program, path) == nil {
		return nil
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o700)
}

// Add appends steps.
func (c *CLI) Add(steps ...CLIStep) error {
	return c.change(func(s *cliScript) { s.Steps = append(s.Steps, steps...) })
}

// Version has the program do something else than tell a version when it is asked for that.
func (c *CLI) Version(step CLIStep) error {
	return c.change(func(s *cliScript) { s.Version = step })
}

func (c *CLI) change(f func(*cliScript)) error {
	return c.locked(func() error {
		script, err := loadScript(c.Path)
		if err != nil {
			return err
		}
		f(&script)
		return c.save(script)
	})
}

// The files beside the program.
const (
	scriptSuffix = ".script.json"
	callsSuffix  = ".calls.jsonl" // one line for each run, so that their number is the next step
	lockSuffix   = ".lock"
	lockEvery    = 5 * time.Millisecond
	childSuffix  = ".child"
)

func (c *CLI) save(s cliScript) error {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write the script: %w", err)
	}
	return os.WriteFile(c.Path+scriptSuffix, b, 0o600)
}

func loadScript(path string) (cliScript, error) {
	var s cliScript
	b, err := os.ReadFile(path + scriptSuffix)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// locked runs f while no other process has the files.
func (c *CLI) locked(f func() error) error {
	lock, err := filelock.Wait(context.Background(), c.Path+lockSuffix, lockEvery)
	if err != nil {
		return fmt.Errorf("lock the script: %w", err)
	}
	defer func() { _ = lock.Release() }()
	return f()
}

// CLICall is one run of the program.
type CLICall struct {
	// Args are its arguments.
	Args []string
	// Prompt is what it was given on standard input.
	Prompt string
	// Dir is its working directory.
	Dir string
	// Env are the names of the variables in its environment. Values are not kept, but for the one
	// that says how often requests are tried again.
	Env []string
	// Retries is the value of CLAUDE_CODE_MAX_RETRIES.
	Retries string
	// PID is its number.
	PID int
}

// Resumed returns the session that the call continued; empty when it began one.
func (c CLICall) Resumed() string {
	for _, arg := range c.Args {
		if session, ok := strings.CutPrefix(arg, "--resume="); ok {
			return session
		}
	}
	return ""
}

// Calls returns the runs so far, in order, those that are under way among them.
func (c *CLI) Calls() ([]CLICall, error) {
	var calls []CLICall
	err := c.locked(func() (err error) {
		calls, err = loadCalls(c.Path)
		return err
	})
	return calls, err
}

func loadCalls(path string) ([]CLICall, error) {
	b, err := os.ReadFile(path + callsSuffix)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var calls []CLICall
	for line := range strings.Lines(string(b)) {
		var call CLICall
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			return nil, fmt.Errorf("read the calls: %w", err)
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// Child returns the number of the process that the last step with a child has left behind; 0 when
// there is none yet.
func (c *CLI) Child() int {
	var pid int
	b, err := os.ReadFile(c.Path + childSuffix)
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscanf(string(b), "%d\n", &pid); err != nil {
		return 0
	}
	return pid
}

// CLIFile is a file that a step writes.
type CLIFile struct {
	// Path is relative to the working directory, or leads out of it; whatever a model may come up
	// with.
	Path string
	// Content is what is in it.
	Content []byte
	// Mode is 0644 unless set.
	Mode fs.FileMode
	// Link makes it a symbolic link to there.
	Link string
}
