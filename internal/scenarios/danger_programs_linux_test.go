package scenarios_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// danger is what an agent and a person do until the program is killed.
type danger struct {
	name   string
	agent  string // a script in the clone, in each call that ends with a kill
	person string // a script in the person's repository, while the agent works
	inGit  bool   // the states are in .git/runs, as an older version of the docs advised
	deaths int    // 1 if unset
	// damage is a script about the states. The run is refused then, with the text.
	damage, refused string
	store           string // only for programs with this store of states
	fresh           bool   // another run begins, and the dead one is not continued
	left            string // a script in the person's repository that succeeds at the end
}

// The stores of states.
const (
	files  = "files"
	sqlite = "SQLite"
)

// eachState is a script that does something to the file f of each store, without logs.
func eachState(do string) string {
	return "rm -f STATES/*-wal STATES/*-shm; for f in $(find STATES -type f -name '*.json' -o -name '*.db'); do " + do +
		"; done"
}

var dangers = []danger{
	{name: "states in .git", inGit: true, agent: "echo stolen > .env; echo x > forbidden.txt",
		left: "ls STATES"},
	{name: "files of other tools in .git", agent: "git fetch -q . HEAD; rm -rf .git/tool",
		person: "mkdir .git/tool; echo t > .git/tool/f; git fetch -q . HEAD; cp .git/FETCH_HEAD ..",
		left:   "test t = $(cat .git/tool/f); cmp .git/FETCH_HEAD ../FETCH_HEAD"},
	{name: "a linked working tree", agent: "git branch -D side 2>/dev/null || true; git worktree prune",
		person: "git worktree add -qb side ../side; cd ../side; echo s > s.txt; git add s.txt; git commit -qm side",
		left:   "test s = $(cat ../side/s.txt); test side = $(git log -1 --format=%s side); git -C ../side status"},
	{name: "the mess of a dead run", agent: "echo mess > mess.txt; git add -A; git commit -qm evil", fresh: true,
		left: "test ! -e mess.txt; ! git log --all --name-only | grep -e mess -e evil"},
	{name: "a planted fsmonitor", deaths: 3,
		agent: "git config core.fsmonitor 'touch BASE/armed'; printf '#!/bin/sh\ntouch BASE/armed\n' > .git/hooks/" +
			"pre-commit; chmod 755 .git/hooks/pre-commit",
		left: "git status; git commit -q --allow-empty -m mine; test ! -e ../armed"},
	{name: "a planted core.worktree", agent: "git config core.worktree /elsewhere; git config core.bare true"},
	{name: "a damaged log", store: sqlite, agent: "echo half > half.txt", refused: "write-ahead log",
		damage: "printf damaged | dd of=\"$(ls STATES/*-wal)\" bs=1 seek=3000 conv=notrunc 2>/dev/null"},
	{name: "a lost log", store: sqlite, agent: "echo half > half.txt", refused: "state", damage: eachState(":")},
	{name: "a damaged database", store: sqlite, agent: "echo half > half.txt", refused: "state",
		damage: eachState("head -c 4000 /dev/urandom | dd of=$f bs=1 seek=20 conv=notrunc 2>/dev/null")},
	{name: "a damaged state", store: files, agent: "echo half > half.txt", refused: "read run one",
		damage: eachState("head -c 50 /dev/zero | dd of=$f bs=1 seek=200 conv=notrunc 2>/dev/null")},
	{name: "a truncated state", agent: "echo half > half.txt", refused: "state|read run one",
		damage: eachState("truncate -s $(($(stat -c %s $f) / 2)) $f")},
	{name: "an empty state", agent: "echo half > half.txt", refused: "state|read run one", damage: eachState(": > $f")},
	{name: "a lost state", agent: "echo half > half.txt", refused: "state", damage: eachState("rm $f")},
	{name: "a renamed secret", agent: "mv .env notes.txt; git add -A",
		left: "! git log --all -p | grep PASSWORD"},
}

// victim is a program in whose clones a saboteur works. Its paths are in the tests' directory BASE.
type victim struct {
	name                 string
	files                map[string]string // of the first commit, and beside the repository
	store                string
	scoped               bool // .env and forbidden.txt are forbidden
	states               string
	begin, resume, fresh []string // the command lines
	answer               []string // continues a run that was blocked because of a dead agent's change
}

const planOfOneStep = "# T\n\n## 1: Greet\n\nWrite greet.txt.\n\n```yaml step\ncriteria:\n  - {path: greet.txt}\n```\n"

func victims() []victim {
	aidf := []string{"aidf", "-task=BASE/task.md", "-config=BASE/aidf.yml", "-repo=BASE/repo", "-state=STATES",
		"-unattended"}
	spec := []string{"specrunner", "-dir=BASE/repo"}
	orch := []string{"orchestrator", "-dir=BASE/repo", "-tiers=BASE/tiers.yml", "-forbid=.env", "-forbid=forbidden.txt"}
	with := func(base []string, more ...string) []string { return append(base[:len(base):len(base)], more...) }
	return []victim{
		{name: "aidf", store: files, scoped: true, states: "BASE/states", begin: with(aidf, "-run=one"),
			resume: with(aidf, "-resume=one"), fresh: with(aidf, "-run=two"), files: map[string]string{
				"../task.md": "# Task: Greet\n\n## Goal\nGreet.\n\n## Scope\n### Forbidden\n- `.env`\n" +
					"- `forbidden.txt`\n",
				"../aidf.yml": "provider: claude-cli\nclaude_cli: {path: BASE/claude}\nworkspace: {share: [.env]}\n"}},
		{name: "specrunner", store: sqlite, states: "BASE/states", begin: spec, resume: with(spec, "-resume"),
			fresh: with(spec, "-reset=TASK-001"), files: map[string]string{
				"specrunner.yml": "agent: {claude: {path: BASE/claude}}\ngit: true\nstate: STATES/state.db\n" +
					"retry_delay: 0s\n",
				"spec/tasks.md": "### TASK-001: Greet\nP0 | TODO\n\nGreet.\n"}},
		{name: "orchestrator", store: files, scoped: true, states: "BASE/xdg/errgen/trees/*.states",
			begin: with(orch, "-run=one", "BASE/plan.md"), resume: with(orch, "-run=one", "BASE/plan.md"),
			answer: with(orch, "-run=one", "-step=1", "-answer=Continue.", "BASE/plan.md"),
			fresh:  with(orch, "-run=two", "BASE/plan.md"),
			files:  map[string]string{"../tiers.yml": "haiku: {provider: claude-cli}\n", "../plan.md": planOfOneStep}},
		{name: "a runner of one's own", store: sqlite, scoped: true, states: "BASE/states",
			begin: []string{"own", "one"}, resume: []string{"own", "one", "again"}, fresh: []string{"own", "two"}},
		{name: "a runner of one's own with files", store: files, scoped: true, states: "BASE/states",
			begin: []string{"own", "one"}, resume: []string{"own", "one", "again"}, fresh: []string{"own", "two"}},
	}
}

// TestProgramsInDanger carries out each danger against each program. Until the delivery nothing of the
// person's changes; afterwards nothing is lost, nothing is armed, and the run is completed.
func TestProgramsInDanger(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"aidf", "specrunner", "orchestrator"} {
		build := exec.Command("go", "build", "-o", filepath.Join(bin, name), ".")
		build.Dir = filepath.Join("..", "..", "examples", name)
		build.Env = append(os.Environ(), "HOME="+usersHome)
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for _, v := range victims() {
		for _, d := range dangers {
			if d.store != "" && d.store != v.store {
				continue
			}
			t.Run(v.name+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				newSabotage(t, bin, v, d).carryOut()
			})
		}
	}
}

// sabotage is one danger against one program.
type sabotage struct {
	victim
	danger
	t         *testing.T
	bin, base string
	cli       *providertest.CLI
}

func newSabotage(t *testing.T, bin string, v victim, d danger) *sabotage {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &sabotage{v, d, t, bin, base, nil}
	s.deaths = max(1, d.deaths)
	if d.inGit && v.name != "orchestrator" { // it has no choice
		s.states = "BASE/repo/.git/runs"
	}
	repo := s.path("repo")
	require.NoError(t, os.MkdirAll(repo, 0o700))
	files := map[string]string{".gitignore": ".env\n", ".env": "PASSWORD=secret\n", "greet.txt": "hello\n",
		"mine.txt": "m\n"}
	for name, content := range s.files {
		files[name] = content
	}
	for name, content := range files {
		path := filepath.Join(repo, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(s.fill(content)), 0o600))
	}
	s.sh("git init -q; git add .; git commit -qm begin; echo changed >> mine.txt; echo new > untracked.txt")
	var steps []providertest.CLIStep
	for range s.deaths {
		steps = append(steps, providertest.CLIStep{Script: s.fill(s.agent) + "\ntouch " + base + "/there\nhang"})
	}
	const answer = `mark=$(sed -n 's/.*STEP DONE \([0-9A-Za-z]*\).*/\1/p' "$call/prompt" | head -1)
echo Hello > greet.txt
event result '"subtype":"success","is_error":false,"num_turns":1,"total_cost_usd":0.01,` +
		`"usage":{"input_tokens":1,"output_tokens":1},"result":"TASK COMPLETE\nTASK_COMPLETE\nSTEP DONE '"$mark"'"'`
	s.cli, err = providertest.NewCLI(base, append(steps, providertest.CLIStep{Script: answer}.Always())...)
	require.NoError(t, err)
	t.Cleanup(s.endAgents)
	return s
}

func (s *sabotage) path(name string) string { return filepath.Join(s.base, name) }

// fill replaces the placeholders in a text.
func (s *sabotage) fill(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "STATES", s.states), "BASE", s.base)
}

// sh runs a script in the person's repository.
func (s *sabotage) sh(script string) string {
	s.t.Helper()
	cmd := exec.Command("sh", "-ec", s.fill(script))
	cmd.Dir = s.path("repo")
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s\n%s", script, out)
	return string(out)
}

// persons returns what the person's repository contains, except objects and states.
func (s *sabotage) persons() string {
	return s.sh("find . -path ./.git/objects -prune -o -path ./.git/runs -prune -o -type f -print | sort | " +
		"xargs -d '\\n' sha256sum; git for-each-ref; git worktree list")
}

// command returns a command line of the program as a process that is to be started.
func (s *sabotage) command(line []string) (*exec.Cmd, *strings.Builder) {
	s.t.Helper()
	args := strings.Split(s.fill(strings.Join(line, "\n")), "\n")
	cmd := exec.Command(filepath.Join(s.bin, args[0]), args[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+s.base+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+s.path("xdg"))
	if args[0] == "own" {
		o := order{Dir: s.path("repo"), CLI: s.cli.Path, Journal: s.fill(s.states), Run: args[1],
			State:  s.victim.store == sqlite,
			Result: s.path("result.json"), Forbidden: []string{ignoredFile, "forbidden.txt"}, Reopen: len(args) > 2}
		b, err := json.Marshal(o)
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(s.path("order.json"), b, 0o600))
		require.NoError(s.t, os.MkdirAll(o.Journal, 0o700))
		cmd.Path, cmd.Args = os.Args[0], []string{os.Args[0]}
		cmd.Env = append(cmd.Env, childVariable+"="+s.path("order.json"))
	}
	cmd.Dir = s.base
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// run runs a command line to its end.
func (s *sabotage) run(line []string) (code int, out string) {
	cmd, text := s.command(line)
	_ = cmd.Run()
	code = cmd.ProcessState.ExitCode()
	if line[0] == "own" && code == 0 {
		b, err := os.ReadFile(s.path("result.json"))
		require.NoError(s.t, err)
		var r executor.Result
		require.NoError(s.t, json.Unmarshal(b, &r))
		text.Write(b)
		if r.Status != executor.StatusCompleted {
			code = 1
		}
	}
	return code, text.String()
}

// endAgents ends the agents that a killed program left running.
func (s *sabotage) endAgents() {
	calls, err := s.cli.Calls()
	assert.NoError(s.t, err)
	for _, c := range calls {
		if alive(c.PID) {
			_ = syscall.Kill(c.PID, syscall.SIGKILL)
		}
	}
}

func (s *sabotage) carryOut() {
	t := s.t
	before := s.persons()
	line := s.begin
	for n := range s.deaths {
		cmd, out := s.command(line)
		require.NoError(t, cmd.Start())
		await(t, "the agent works", func() bool { return os.Remove(s.path("there")) == nil })
		assert.Equal(t, before, s.persons(), "the run and its agent change nothing of the person's")
		if n == 0 && s.person != "" {
			s.sh(s.person)
			before = s.persons()
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		require.Negative(t, cmd.ProcessState.ExitCode(), out)
		line = s.resume
	}
	assert.Equal(t, before, s.persons())
	if s.damage != "" {
		s.sh(s.damage)
		for _, line := range [][]string{s.begin, s.resume} {
			code, out := s.run(line)
			assert.NotZero(t, code)
			assert.Regexp(t, s.refused, out)
			assert.Regexp(t, "(restore|use the (-?state|store)|remove|begin a run|-reset)", out, "the way out")
		}
		halves, err := filepath.Glob(s.path("xdg/errgen/trees/*/*/tree/half.txt"))
		require.NoError(t, err)
		assert.Len(t, halves, 1, "the work is in its clone")
		assert.Equal(t, before, s.persons())
		return
	}
	if s.danger.fresh {
		line = s.victim.fresh
	}
	code, out := s.run(line)
	if s.danger.fresh && s.victim.name == "specrunner" {
		code, out = s.run(s.begin)
	}
	if code != 0 && s.answer != nil {
		assert.Contains(t, out, "work is reverted: .env forbidden.txt")
		code, out = s.run(s.answer)
	}
	require.Zero(t, code, out)
	if s.danger.fresh {
		assert.Regexp(t, `run (one|TASK-001\.1\.1) .*removes it`, out, "the leftover is named")
	}
	assert.Equal(t, "Hello\n", s.sh("for b in HEAD $(git branch --list 'errgen/*' --format='%(refname)'); do "+
		"git show $b:greet.txt | grep Hello && break; done"))
	assert.Equal(t, "PASSWORD=secret\nm\nchanged\nnew\n", s.sh("cat .env mine.txt untracked.txt"))
	if s.scoped {
		s.sh("! git log --all --name-only | grep -e forbidden -e '^.env'")
	}
	if s.left != "" {
		s.sh(s.left)
	}
	s.sh("git fsck --strict; git status; test ! -e ../armed")
}
