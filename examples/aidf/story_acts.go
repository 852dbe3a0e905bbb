package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

const overHTTPConfig = `provider: anthropic
model: claude-sonnet-4-5
anthropic: {base_url: "${AIDF_STORY_URL}", api_key: "${AIDF_STORY_KEY}"}
limits: {failures: 4}
overrides:
  policies:
    api: {initial_delay: 200ms}
`

// overHTTP is a run with a provider over HTTP, whose tools are guarded while they are used.
func (s *story) overHTTP(ctx context.Context) error {
	s.act("Over HTTP",
		"The same task, but the model is behind an API, on a bad line. It works with tools of this program.", "")
	st := s.begin(ctx, "http", greetingTask, overHTTPConfig)
	server := providertest.NewServer(
		providertest.Reset(),
		providertest.Fixture("anthropic/overloaded"),
		providertest.AnthropicTool("write_file", `{"path":"deploy/production.yml","content":"replicas: 300\n"}`),
		providertest.AnthropicTool("write_file", `{"path":"greet.txt","content":"Good day!\n"}`),
		providertest.AnthropicTool("task_done", `{"summary":"It is a sentence now."}`),
	)
	defer server.Close()
	s.check(errors.Join(os.Setenv("AIDF_STORY_URL", server.URL), os.Setenv("AIDF_STORY_KEY", "sk-ant-a-key-of-nobody")))
	s.play(ctx, st.options, scene{
		titles: map[int]string{
			1: "The connection is reset: again, after a moment",
			2: "The service has too much to do: again, after a longer one",
			3: "The model reaches for a forbidden file: the tool refuses before anything is written",
			4: "It was told, and keeps to what is allowed",
		},
		after: func(e executor.Event) {
			if e.Kind == executor.CallEnded && e.Iteration == 3 {
				st.shows("deploy/production.yml")
			}
		},
	})
	s.line("There were %d requests, and no others: the library's own retries are off.", server.Count())
	return s.err
}

const licenseTask = `# Task: Say who may use this

## Scope
### Allowed
- ` + "`LICENSE`" + `
- ` + "`greet.txt`" + `
### Ask
- ` + "`LICENSE`" + `
`

const cliConfig = `provider: claude-cli
claude_cli: {path: "${AIDF_STORY}/NAME/claude"}
`

// configFor returns a configuration with the agent of an act.
func configFor(name string) string { return strings.ReplaceAll(cliConfig, "NAME", name) }

// unattended is a run that would have to ask somebody.
func (s *story) unattended(ctx context.Context) error {
	s.act("Nobody there", "A task whose scope says: ask about LICENSE. It is night, and nobody can be asked.", "")
	st := s.begin(ctx, "night", licenseTask, configFor("night"))
	st.cli(providertest.CLIAnswer("It is free now.\nTASK COMPLETE").Write("LICENSE", "Public domain.\n").
		Write("greet.txt", "Hello, all!\n"))
	st.options.unattended = true
	s.play(ctx, st.options, scene{after: func(e executor.Event) {
		if e.Kind == executor.ChangesDetected || e.Kind == executor.Reverted {
			st.shows("LICENSE")
		}
	}})
	s.line("What was denied is put back. What was allowed stays for a person to look at:")
	st.runs(ctx, "status", "--short")
	return s.err
}

// killed is a run whose process is killed, and which is gone on with.
func (s *story) killed(ctx context.Context) error {
	s.act("Killed", "The program itself is killed, with kill -9, while its agent is in the middle of something.", "")
	st := s.begin(ctx, "killed", greetingTask, configFor("killed"))
	// The script writes the file itself, because Write prints an event after it: SIGPIPE could end
	// the agent when the program is killed.
	half := providertest.CLIStep{Script: "printf Hel >greet.txt; hang"}
	st.cli(half, providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("greet.txt", "Hello!\n"))
	said, err := st.killInCall(ctx)
	if s.check(err); err != nil {
		return err
	}
	s.say(strings.TrimSpace(said))
	s.aside("kill -9")
	agent, err := st.agent()
	if s.check(err); err != nil {
		return err
	}
	s.aside("the agent, in a process group of its own, still runs: %t", proc.Alive(agent))
	st.shows("greet.txt")
	s.line("The run is remembered:")
	p := &program{options: options{journal: st.options.journal}, out: &s.narrator, hints: &s.narrator}
	_ = p.listRuns()

	s.line("\nIt is gone on with, by -resume killed. First of all the old agent is ended:\n")
	st.options.run, st.options.resume = "", "killed"
	s.play(ctx, st.options, scene{
		titles: map[int]string{
			1: "Nobody saw how the call ended: that is a failure like others",
			2: "The next one finishes the work",
		},
		after: func(e executor.Event) {
			if e.Kind == executor.RunStarted {
				s.aside("the old agent still runs: %t", proc.Alive(agent))
			}
		},
	})
	st.shows("greet.txt")
	return s.err
}

// killInCall begins the run in a process of its own, kills that while the agent works, and returns
// what it had said.
func (s *stage) killInCall(ctx context.Context) (said string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "-task="+s.options.taskFile, "-config="+s.options.configFile,
		"-repo="+s.options.repo, "-journal="+s.options.journal, "-run="+s.options.run)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	err = await(ctx, func() bool {
		b, err := os.ReadFile(s.path("greet.txt"))
		return err == nil && string(b) == "Hel" && len(s.processes()) > 0
	})
	err = errors.Join(err, cmd.Process.Kill())
	_ = cmd.Wait() // says that it was killed
	return out.String(), err
}

// processes are those that work for the run, as its saved state has them.
func (s *stage) processes() []executor.Running {
	state, err := filestore.New(s.options.journal).Peek(context.Background(), s.options.run)
	if err != nil || state == nil {
		return nil
	}
	return state.Processes
}

// agent returns the process that the saved state names.
func (s *stage) agent() (id proc.ID, err error) {
	for _, p := range s.processes() {
		return proc.ID{PID: p.PID, Start: p.Start}, nil
	}
	return id, errors.New("no process is registered")
}

// answered is a run that a question blocks, and that continues with the answer.
func (s *story) answered(ctx context.Context) error {
	s.act("Blocked, and answered", "The agent cannot decide something. It says so, and the run is blocked.", "")
	st := s.begin(ctx, "question", greetingTask, configFor("question"))
	st.cli(
		providertest.CLIAnswer("The document is there.").Write("docs/greeting.md", "A greeting is a sentence.\n"),
		providertest.CLIAnswer("BLOCKED: which customer is greeted?").Write("greet.txt", "Hello, NAME!\n"),
		providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("greet.txt", "Hello, Ada!\n"),
		providertest.CLIFixture("claude/auth").Write("greet.txt", "Hello, Bob!\n"),
		providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("docs/greeting.md", "A greeting has a name.\n"),
	)
	s.play(ctx, st.options, scene{})
	s.line("\nA person answers, by -resume question -answer \"Ada\". It continues with what is there:\n")
	st.options.run, st.options.resume, st.options.answer = "", "question", "Ada"
	s.play(ctx, st.options, scene{})
	st.shows("greet.txt")

	s.line("\nAnother run fails, and its work is left in the tree:\n")
	st.options = st.optionsOf("left")
	s.play(ctx, st.options, scene{})
	s.line("\nA new run in this tree names it, and with -take-over delivers it, too:\n")
	st.options = st.optionsOf("taken")
	st.options.takeOver = true
	s.play(ctx, st.options, scene{})
	st.runs(ctx, "log", "--oneline", "--name-only", "--max-count=1")
	return s.err
}

// optionsOf returns the options of another run in the same repository.
func (s *stage) optionsOf(run string) options {
	o := s.options
	o.run, o.resume, o.answer = run, "", ""
	return o
}

const faultyConfig = `provider: anthropic
model: claude-sonnet-4-5
anthropic: {api_key: "${AIDF_STORY_NO_SUCH_KEY}"}
limits: {failures: -1, iteration: soon}
notify:
  - {channel: log}
`

// neverBegun is a run that its configuration keeps from beginning.
func (s *story) neverBegun(ctx context.Context) error {
	s.act("Never begun",
		"A configuration with three mistakes. They are failures like others: they have codes, and people are told.", "")
	s.aside("%s", faultyConfig)
	s.line("")
	st := s.begin(ctx, "faulty", greetingTask, faultyConfig)
	s.play(ctx, st.options, scene{})
	return s.err
}
