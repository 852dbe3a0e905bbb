package main

import (
	"strings"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// shop are the files that an agent finds in the repository.
var shop = map[string]string{
	".gitignore":            ".env\n",
	".env":                  "SHOP_MODE=live\n",
	"LICENSE":               "All rights reserved.\n",
	"greet.txt":             "hello\n",
	"deploy/production.yml": "replicas: 3\n",
	"check.sh": `# A greeting is a whole sentence.
grep -q '^[A-Z].*!$' greet.txt && exit 0
echo "greet.txt:1: no capital letter, or no exclamation mark: $(cat greet.txt)"
exit 1
`,
}

const greetingTask = `# Task: A friendlier greeting

## Goal
greet.txt greets the customer in a whole sentence, and docs/greeting.md says how.

## Scope
### Allowed
- ` + "`greet.txt`" + `
- ` + "`docs/**`" + `
### Forbidden
- ` + "`deploy/**`" + `
- ` + "`.env`" + `
`

const licenseTask = `# Task: Say who may use this

## Scope
### Allowed
- ` + "`LICENSE`" + `
- ` + "`greet.txt`" + `
- ` + "`docs/**`" + `
### Ask
- ` + "`LICENSE`" + `
`

// cliConfig configures the agent of the act with this name.
func cliConfig(name string, more ...string) string {
	return "provider: claude-cli\nclaude_cli: {path: \"${AIDF_STORY}/" + name + "/claude\"}\n" + strings.Join(more, "")
}

const checked = "validation: {pre_commit: [[sh, check.sh]]}\n"

var acts = []act{
	{
		name: "badday", title: "A bad day",
		files: map[string]string{"greeting.md": greetingTask, "aidf.yml": cliConfig("badday", `limits: {iteration: 8s}
validation: {pre_commit: [[sh, check.sh]], pre_push: [[sh, check.sh]]}
deliver: push
hooks: true         # the repository's own, of which one is unreliable
overrides:          # the taxonomy has seconds and minutes; this is for the story
  policies:
    rate_limit: {initial_delay: 1s}
    once_more: {initial_delay: 300ms}
`), "pre-commit": `#!/bin/sh
commits=$(git rev-list --count HEAD)
test $commits = 1 || test -e "$AIDF_STORY/failed" || { touch "$AIDF_STORY/failed"; echo "license server: timeout"; exit 1; }
`},
		agent: []providertest.CLIStep{
			providertest.CLIFixture("claude/api_rate_limit"),
			providertest.CLIHang(),
			providertest.CLIAnswer("The greeting is there, the document comes next.").
				Write("greet.txt", "Hello, customer!\n"),
			providertest.CLIAnswer("I also made the deployment bigger.").
				Write("docs/greeting.md", "A greeting is a sentence.\n").
				Write("deploy/production.yml", "replicas: 300\n").Write(".env", "SHOP_MODE=test\n"),
			providertest.CLIAnswer("Warmer now.\nTASK COMPLETE").Write("greet.txt", "hello dear customer\n"),
			providertest.CLIAnswer("Fixed.\nTASK COMPLETE").Write("greet.txt", "Hello, dear customer!\n"),
		},
		titles: map[int]string{
			1: "The provider limits the rate: wait, and count no failure",
			2: "The agent hangs: end it, and count a failure",
			3: "All is well: check, commit, and begin counting anew",
			4: "The agent changes forbidden files: save and revert them, tell the agent",
			5: "The work does not pass its check: show the agent why",
			6: "A hook of the repository fails: only the commit is repeated",
		},
		script: `One task, and an agent that is a process. This is its configuration:
$ cat ../aidf.yml
$ mkdir -p .git/hooks && install -m 755 ../pre-commit .git/hooks/pre-commit
A person works in the same repository, too:
$ echo "All rights reserved. (a person is writing this)" >LICENSE
$ aidf -run badday
This is what the agent was told in its last two calls:
told 5
told 6
This is the work:
$ git log --oneline --decorate --name-only
What the agent did to forbidden files is saved, and can be restored. The person's work is as it was:
$ aidf attempts badday
$ aidf attempts badday 4 deploy/production.yml
$ cat deploy/production.yml .env
$ git status --short`,
	},
	{
		name: "http", title: "Over HTTP",
		files: map[string]string{"greeting.md": greetingTask, "aidf.yml": `provider: anthropic
model: claude-sonnet-4-5
anthropic: {base_url: "${AIDF_STORY_URL}", api_key: "${AIDF_STORY_KEY}", prices: {input: 3, output: 15}}
limits: {failures: 4}
overrides: {policies: {api: {initial_delay: 200ms}}}
`},
		server: []providertest.Reply{
			providertest.Reset(),
			providertest.Fixture("anthropic/overloaded"),
			providertest.AnthropicTool("write_file", `{"path":"deploy/production.yml","content":"replicas: 300\n"}`),
			providertest.AnthropicTool("write_file", `{"path":"greet.txt","content":"Good day!\n"}`),
			providertest.AnthropicTool("task_done", `{"summary":"It is a sentence now."}`),
		},
		titles: map[int]string{
			1: "The connection is reset: again, after a moment",
			2: "The service is overloaded: again, after a longer wait",
			3: "The model uses a tool on a forbidden file: the tool refuses before anything is written",
			4: "The model was told, and keeps to the allowed files",
		},
		script: `The same task with a model behind an API. It works with tools of this program.
$ aidf -run http`,
	},
	{
		name: "night", title: "Unattended, and what is left over",
		files: map[string]string{"greeting.md": licenseTask, "aidf.yml": cliConfig("night")},
		agent: []providertest.CLIStep{
			providertest.CLIAnswer("It is free now.\nTASK COMPLETE").Write("LICENSE", "Public domain.\n").
				Write("greet.txt", "Hello, all!\n"),
			providertest.CLIAnswer("TASK COMPLETE").Write("docs/use.md", "Use it.\n"),
			providertest.CLIAnswer("TASK COMPLETE").Write("docs/use.md", "Use it as you like.\n"),
		},
		script: `The task requires an approval for LICENSE. It is night, and no person can be asked.
$ aidf -run night -unattended
What was denied is reverted. What was allowed stays for a person to look at:
$ git status --short
Another run names these changes, and leaves them alone:
$ aidf -run morning -unattended
A run takes them over on request:
$ aidf -run noon -unattended -take-over
$ git log --oneline --name-only
$ git status --short`,
	},
	{
		name: "killed", title: "Killed",
		files: map[string]string{"greeting.md": greetingTask, "aidf.yml": cliConfig("killed")},
		agent: []providertest.CLIStep{
			// The script writes the file itself: Write would print an event afterwards, and SIGPIPE could
			// end the agent when the program is killed.
			{Script: "printf Hel >greet.txt; hang"},
			providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("greet.txt", "Hello!\n"),
		},
		script: `The program itself is killed while its agent works.
kill greet.txt $ aidf -run killed
$ cat greet.txt; echo
$ aidf -list
It is resumed. First it ends the old agent. How the call ended is unknown, which is a failure like others.
$ aidf -resume killed
$ cat greet.txt`,
	},
	{
		name: "asked", title: "Blocked, and continued",
		files: map[string]string{
			"greeting.md":  greetingTask,
			"aidf.yml":     cliConfig("asked", "limits: {failures: 1}\n", checked),
			"patient.yml":  cliConfig("asked", "limits: {failures: 2}\n", checked),
			"check.sh.fix": "test -s greet.txt\n",
		},
		agent: []providertest.CLIStep{
			providertest.CLIAnswer("BLOCKED: Which customers, old or new?"),
			providertest.CLIAnswer("TASK COMPLETE").Write("greet.txt", "hello to all\n"),
			providertest.CLIAnswer("TASK COMPLETE").Write("greet.txt", "hello to all customers\n"),
			providertest.CLIAnswer("It is a sentence!\nTASK COMPLETE"),
			providertest.CLIAnswer("TASK COMPLETE"),
		},
		script: `The agent has a question.
$ aidf -run asked
A person answers it.
$ aidf -resume asked -answer "All of them."
told 2
The answer was in the prompt. The work fails its check, and one failure is the limit. With a higher one:
$ aidf -resume asked -config ../patient.yml
The check is too strict, says the person, and changes it. The work is still pending:
$ cp ../check.sh.fix check.sh
$ aidf -resume asked
$ git log --oneline --name-only
$ git status --short`,
	},
	{
		name: "faulty", title: "Never begun",
		files: map[string]string{"greeting.md": greetingTask, "aidf.yml": `provider: anthropic
model: $AIDF_MODEL
anthropic: {api_key: "${AIDF_STORY_NO_SUCH_KEY}"}
limits: {failures: -1, iteration: soon}
notify:
  - {channel: log}
`},
		script: `A configuration with three mistakes and a warning. Each is a failure with a code, and people are told.
$ cat ../aidf.yml
$ aidf -run faulty`,
	},
}
