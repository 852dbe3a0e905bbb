package providertest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// childVariable marks the process that a step leaves behind.
	childVariable = "ERRGEN_SCRIPTED_CHILD"
	// exitScript is what a program exits with that cannot play its step.
	exitScript = 70
	// scriptedVersion is what it says of itself.
	scriptedVersion = "2.1.0 (Claude Code)"
	// childLife bounds the life of a process that is left behind, should nobody end it.
	childLife = 2 * time.Minute
)

// CLIMain plays a step and ends this process if it was started as the program of a [CLI]. Otherwise
// it does nothing.
func CLIMain() {
	if mode := os.Getenv(childVariable); mode != "" {
		outlive(mode)
	}
	path, err := exec.LookPath(os.Args[0])
	if err != nil {
		return
	}
	if path, err = filepath.Abs(path); err != nil {
		return
	}
	script, err := loadScript(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = (&player{cli: &CLI{Path: path}, script: script, out: bufio.NewWriter(os.Stdout)}).play()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted claude:", err)
		quit(exitScript)
	}
	quit(0)
}

// quit ends this process at once. With the race detector os.Exit would take a second, for which
// everybody who calls the program would have to wait.
func quit(code int) { syscall.Exit(code) }

// player plays one run.
type player struct {
	cli    *CLI
	script cliScript
	out    *bufio.Writer
	step   CLIStep
	number int // of the run, from 1
	dir    string
}

func (p *player) play() error {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		return p.version()
	}
	if err := p.enter(); err != nil {
		return err
	}
	session := p.session()
	if err := errors.Join(p.prepare(), p.work()); err != nil {
		return err
	}
	for _, line := range p.step.events(session, p.dir) {
		_, _ = p.out.WriteString(line + "\n")
	}
	_, _ = p.out.Write(p.step.Stdout)
	p.flood(session)
	p.flush()
	_, _ = os.Stderr.Write(p.step.Stderr)
	if p.step.Hang {
		hang()
	}
	p.result(session)
	return p.leave()
}

// version tells the version, or does what the script has in its place.
func (p *player) version() error {
	p.step = p.script.Version
	_, _ = os.Stderr.Write(p.step.Stderr)
	if p.step.Hang {
		hang()
	}
	if p.step.Exit == 0 && p.step.Signal == "" {
		fmt.Println(scriptedVersion)
	}
	return p.leave()
}

// enter notes the run and finds its step.
func (p *player) enter() error {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("read the prompt: %w", err)
	}
	if p.dir, err = os.Getwd(); err != nil {
		return err
	}
	call := CLICall{Args: os.Args[1:], Prompt: string(prompt), Dir: p.dir, PID: os.Getpid(),
		Retries: os.Getenv("CLAUDE_CODE_MAX_RETRIES")}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		call.Env = append(call.Env, name)
	}
	err = p.cli.locked(func() error {
		if p.script, err = loadScript(p.cli.Path); err != nil {
			return err
		}
		before, err := loadCalls(p.cli.Path)
		p.number = len(before) + 1
		return errors.Join(err, note(p.cli.Path+callsSuffix, call))
	})
	if err != nil {
		return err
	}
	return p.find()
}

// find finds the step of the run.
func (p *player) find() error {
	for i, step := range p.script.Steps {
		if i+1 == p.number || step.Repeat {
			p.step = step
			return nil
		}
	}
	return fmt.Errorf("run %d has no step", p.number)
}

// note appends a line to a file.
func note(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}

// session returns the session of the run.
func (p *player) session() string {
	if p.step.SessionID != "" {
		return p.step.SessionID
	}
	if resumed := (CLICall{Args: os.Args[1:]}).Resumed(); resumed != "" {
		return resumed
	}
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", p.number)
}

// prepare becomes deaf, and leaves a child behind.
func (p *player) prepare() error {
	mode := "hearing"
	if p.step.Deaf {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		mode = "deaf"
	}
	if p.step.Child == "" {
		return nil
	}
	child := exec.Command(p.cli.Path)
	child.Env = append(os.Environ(), childVariable+"="+mode)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if p.step.Child == "escaped" {
		escape(child)
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("leave a child behind: %w", err)
	}
	return os.WriteFile(p.cli.Path+childSuffix, []byte(strconv.Itoa(child.Process.Pid)+"\n"), 0o600)
}

// outlive is the life of a process that is left behind.
func outlive(mode string) {
	if mode == "deaf" {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
	}
	time.Sleep(childLife)
	quit(0)
}

// work changes files and runs commands.
func (p *player) work() error {
	for _, f := range p.step.Files {
		if err := f.write(p.dir); err != nil {
			return err
		}
	}
	for _, name := range p.step.Removed {
		if err := os.RemoveAll(within(p.dir, name)); err != nil {
			return err
		}
	}
	for _, argv := range p.step.Commands {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%q: %w: %s", argv, err, out)
		}
	}
	return nil
}

func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

func (f *CLIFile) write(dir string) error {
	path := within(dir, f.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if f.Link != "" {
		return os.Symlink(f.Link, path)
	}
	mode := f.Mode
	if mode == 0 {
		mode = 0o644
	}
	if err := os.WriteFile(path, f.Content, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// flood writes very much.
func (p *player) flood(session string) {
	if p.step.Flood <= 0 {
		return
	}
	piece := strings.Repeat("x", 1<<15)
	if p.step.FloodLines {
		o := cliMessage("claude-scripted", piece)
		o["session_id"] = session
		piece = o.json() + "\n"
	}
	for n := int64(0); n < p.step.Flood; n += int64(len(piece)) {
		if _, err := p.out.WriteString(piece); err != nil {
			return
		}
	}
	_ = p.out.WriteByte('\n')
}

// result gives the result, or half of it.
func (p *player) result(session string) {
	if p.step.Result == nil {
		return
	}
	line := p.step.Result.event(session)
	if p.step.Cut {
		line = line[:len(line)/2]
	} else {
		line += "\n"
	}
	_, _ = p.out.WriteString(line)
	p.flush()
}

// flush writes what is left. Nobody may be there to read it.
func (p *player) flush() { _ = p.out.Flush() }

// leave ends the run.
func (p *player) leave() error {
	if p.step.Linger {
		hang()
	}
	if p.step.Signal != "" {
		return die(p.step.Signal)
	}
	quit(p.step.Exit)
	return nil
}

// hang waits until somebody ends this process.
func hang() {
	time.Sleep(childLife)
	quit(exitScript)
}
