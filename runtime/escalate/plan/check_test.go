package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// step is a step that nothing is wrong with.
func step(id string) plan.Step {
	return plan.Step{
		ID: id, Instructions: "Do it.", Criteria: []plan.Criterion{{Kind: plan.Exists, Path: "made-by-" + id}},
	}
}

// said returns the faults, each on one line.
func said(found []plan.Fault) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s:%d %s", f.Kind, f.Step, f.Line, f.Text))
	}
	return out
}

func TestAPlanWithoutFaults(t *testing.T) {
	p := plan.Plan{
		Title: "All kinds",
		Prerequisites: []plan.Prerequisite{
			{Kind: plan.File, Name: "docs/a b.md"}, {Kind: plan.Directory, Name: "."},
			{Kind: plan.Directory, Name: "docs/"}, {Kind: plan.Program, Name: "go"},
			{Kind: plan.Program, Name: "tools/check.sh"}, {Kind: plan.Variable, Name: "ProgramFiles(x86)"},
			{Kind: plan.Variable, Name: "API_KEY"},
			{Kind: plan.Address, Name: "localhost:5432"}, {Kind: plan.Address, Name: "[::1]:80"},
			{Kind: plan.Address, Name: "https://me@example.com/x?y=z"},
		},
		Gate: []plan.Command{{Args: []string{"go", "test", "./..."}, Limit: time.Minute}},
		Steps: []plan.Step{step("1"), {
			ID: "2.3-a_B", Instructions: "Write the report.",
			Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "made-by-1", MadeBy: "1"}},
			Criteria: []plan.Criterion{
				{Kind: plan.Exists, Path: "out"}, {Kind: plan.Exists, Path: "out/a.json"},
				{Kind: plan.Format, Path: "out/a.json", Text: "json"},
				{Kind: plan.Format, Path: "out/a.json", Text: "utf-8"},
				{Kind: plan.Sections, Path: "r.md", Texts: []string{"# Risks"}},
				{Kind: plan.Count, Path: "r.md", Text: "^- ", Min: 3},
				{Kind: plan.Count, Path: "r.md", Text: "^- ", Max: 3},
				{Kind: plan.Count, Path: "r.md", Text: "^#", Max: 2},
				{Kind: plan.Count, Path: "out/**/*.{json,md}", Min: 1},
				{Kind: plan.Size, Path: "r.md", Min: 10, Max: 10}, {Kind: plan.Size, Path: "r.md", Max: 20},
				{Kind: plan.Content, Path: "r.md", Text: "(?m)^done$"},
				{Kind: plan.Passes, Command: &plan.Command{Args: []string{"make", "check x"}}},
			},
		}},
	}
	assert.Empty(t, said(plan.Check(p)))
}

func TestFaultsOfThePlan(t *testing.T) {
	for _, c := range []struct {
		name string
		p    plan.Plan
		want []string
	}{
		{"no steps", plan.Plan{}, []string{"invalid :0 the plan has no steps: write at least one"}},
		{"gate",
			plan.Plan{Gate: []plan.Command{{}, {Args: []string{"-x"}}, {Args: []string{"go test"}},
				{Args: []string{"a", "b\x00"}, Limit: -1}}, Steps: []plan.Step{step("1")}}, []string{
				"invalid :0 the gate's command 1 has no command: give a program with its arguments",
				`invalid :0 the gate's command 2 names the program "-x", which begins with '-' as an option does: ` +
					`name the program first`,
				`invalid :0 the gate's command 3 names the program "go test", which has white space: give the ` +
					`arguments apart from the program`,
				`invalid :0 the gate's command 4 has the argument "b\x00", which has a zero byte: leave it out`,
				"invalid :0 the gate's command 4 has a limit below 0: give how long it may take, or nothing",
			}},
		{"made by",
			plan.Plan{Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "a", MadeBy: "1", Line: 3}},
				Steps: []plan.Step{step("1")}}, []string{
				`conflicting_requirements :3 "a" is made by step "1", but all steps take it for granted: move it to ` +
					`the steps that need it`,
			}},
		{"file and directory",
			plan.Plan{Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "a", Line: 3},
				{Kind: plan.File, Name: "a/b", Line: 4}}, Steps: []plan.Step{step("1"), step("2")}}, []string{
				`conflicting_requirements :4 "a" has to be a file and a directory: mend one of the paths`,
			}},
	} {
		assert.Equal(t, c.want, said(plan.Check(c.p)), c.name)
	}
}

func TestIDs(t *testing.T) {
	for _, id := range []string{"1", "2.3", "a", "Z9", strings.Repeat("a", 40), "a-b_c.d"} {
		assert.Empty(t, plan.Check(plan.Plan{Steps: []plan.Step{step(id)}}), id)
	}
	for _, id := range []string{"", ".a", "-a", "_a", "a b", "a/b", "ä", "a\n", strings.Repeat("a", 41), "\xff"} {
		found := plan.Check(plan.Plan{Steps: []plan.Step{step(id)}})
		if assert.NotEmpty(t, found, "%q", id) {
			assert.Equal(t, plan.Invalid, found[0].Kind)
			assert.Contains(t, found[0].Text, "ID")
		}
	}
	again := step("1")
	again.Line = 7
	assert.Equal(t, []string{`invalid 1:7 another step has the ID "1", too: give each its own`},
		said(plan.Check(plan.Plan{Steps: []plan.Step{step("1"), again}})))
}

// B-O02: what a plan leaves open is found before the first step.
func TestInstructions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "silent_plan 1:0 the step has no instructions: say what is to be done"},
		{" \n- \n...", "silent_plan 1:0 the step has no instructions: say what is to be done"},
		{"TBD", `silent_plan 1:0 the instructions are "TBD" and nothing else: say what is to be done`},
		{"- **TODO**.\n", `silent_plan 1:0 the instructions are "TODO" and nothing else: say what is to be done`},
		{"???", `silent_plan 1:0 the instructions are "???" and nothing else: say what is to be done`},
		{"<insert what is to be done>",
			`silent_plan 1:0 the instructions are "<insert what is to be done>" and nothing else: say what is to be ` +
				`done`},
		{"Deploy it.\n\nPort: TBD\n",
			`several_readings 1:0 the instructions leave open what "TBD" stands for: write it out`},
		{"Deploy it.\n- [ ] TODO\n",
			`several_readings 1:0 the instructions leave open what "TODO" stands for: write it out`},
		{"Deploy it to ??? and tell me.",
			`several_readings 1:0 the instructions leave open what "???" stands for: write it out`},
		{"Use the database [TBD].",
			`several_readings 1:0 the instructions leave open what "[TBD]" stands for: write it out`},
		{"Deploy it to <...>.",
			`several_readings 1:0 the instructions leave open what "<...>" stands for: write it out`},
		{"Add host = ???", `several_readings 1:0 the instructions leave open what "???" stands for: write it out`},
		{"Name it <your name here>",
			`several_readings 1:0 the instructions leave open what "<your name here>" stands for: write it out`},
	} {
		s := step("1")
		s.Instructions = c.text
		assert.Equal(t, []string{c.want}, said(plan.Check(plan.Plan{Steps: []plan.Step{s}})), c.text)
	}
}

// A placeholder that is what the step is about is none. Every one of these would keep somebody from
// working.
func TestInstructionsThatOnlySpeakOfPlaceholders(t *testing.T) {
	for _, text := range []string{
		"Remove all TODO comments.",
		"Replace every TBD in docs/a.md by what was decided.",
		"Replace each [TBD] and <insert name> with a name.",
		"TODO: write the tests.",
		"Write the report. What else is open?",
		"Really??? is what the title says",
		`Print "???" when there is no answer.`,
		"Print `Port: TBD` until it is known.",
		"Print this:\n```\nPort: TBD\n???\n<...>\n```\n",
		"~~~\nTBD\n~~~\nis what it says",
		"Mend List<...> in a.java, and the <title> of the page.",
		"Run git checkout <branch> with the branch of the issue.",
		"Use either a map or a slice...",
		"Set status: TBD",
		"Find status: TBD in the tasks, and count them.",
		"Look for ??? in the output.",
		"Explain a = b ? c : d and x ?? y",
		"日本語で書く",
	} {
		s := step("1")
		s.Instructions = text
		assert.Empty(t, said(plan.Check(plan.Plan{Steps: []plan.Step{s}})), text)
	}
}

func TestPrerequisites(t *testing.T) {
	for _, c := range []struct {
		kind       plan.PrerequisiteKind
		name, want string
	}{
		{"sorcery", "x",
			`there are no prerequisites of the kind "sorcery": use file, directory, command, env or address`},
		{plan.File, "", `has the path "", which is empty: name it, relative to the root of the tree`},
		{plan.File, "/etc/passwd",
			`has the path "/etc/passwd", which is absolute: name it relative to the root of the tree`},
		{plan.File, "~/x", "which is absolute"},
		{plan.File, `C:\x`, "which is absolute"},
		{plan.File, "c:/x", "which is absolute"},
		{plan.File, `\\host\x`, "which is absolute"},
		{plan.File, "a/../../b", "which leaves the tree: name something in it"},
		{plan.Directory, "..", "which leaves the tree"},
		{plan.File, `..\x`, "which leaves the tree"},
		{plan.File, "a\x00b", "which is no text"},
		{plan.File, "\xff", "which is no text"},
		{plan.File, strings.Repeat("a", 5000), "which is longer than 4096 bytes"},
		{plan.Program, "", "names no program: name it"},
		{plan.Program, "-rf", "which begins with '-' as an option does"},
		{plan.Program, "make test", "which has white space"},
		{plan.Program, "/bin/sh", "which is absolute"},
		{plan.Program, "../x", "which leaves the tree"},
		{plan.Variable, "", "names no environment variable: name it"},
		{plan.Variable, "TOKEN=hunter2hunter2", `gives the environment variable "TOKEN" a value: only name it`},
		{plan.Variable, "$HOME", "no environment variable is named \"$HOME\""},
		{plan.Variable, "A B", "no environment variable is named \"A B\""},
		{plan.Address, "", "it has no port: write it as host:port, [address]:port or an http or https URL"},
		{plan.Address, "localhost", "it has no port"},
		{plan.Address, ":80", "it has no host that can be connected to: write it as host:port"},
		{plan.Address, "localhost:", "the port is none: use a number from 1 to 65535"},
		{plan.Address, "localhost:0", "the port is none"},
		{plan.Address, "localhost:65536", "the port is none"},
		{plan.Address, "localhost:http", "the port is none"},
		{plan.Address, "a b:80", "it has no host"},
		{plan.Address, "ftp://x", `it has the scheme "ftp": use http or https, or host:port`},
		{plan.Address, "http://", "it has no host"},
		{plan.Address, "http://x:y", "the URL cannot be read"},
		{plan.Address, "https://me:hunter2hunter2@example.com", "the address holds a password: leave it out"},
		{plan.Address, "me:hunter2hunter2@example.com", "the port is none"},
	} {
		s := step("1")
		s.Prerequisites = []plan.Prerequisite{{Kind: c.kind, Name: c.name, Line: 5}}
		found := plan.Check(plan.Plan{Steps: []plan.Step{s}})
		if !assert.Len(t, found, 1, "%s %.40q", c.kind, c.name) {
			continue
		}
		assert.Equal(t, plan.Invalid, found[0].Kind)
		assert.Equal(t, []any{"1", 5}, []any{found[0].Step, found[0].Line})
		assert.Contains(t, found[0].Text, c.want, "%s %.40q", c.kind, c.name)
		assert.NotContains(t, found[0].Text, "hunter2")
	}
}

func TestWhoMakesAPrerequisite(t *testing.T) {
	steps := []plan.Step{step("1"), step("2"), step("3")}
	steps[1].Line = 4
	for by, want := range map[string]string{
		"1": "",
		"2": `conflicting_requirements 2:9 the step is to make "a" itself, which it needs before it begins: make it ` +
			`a criterion`,
		"3": `conflicting_requirements 2:9 "a" is made by step "3", which comes later: change the order of the steps`,
		"4": `conflicting_requirements 2:9 "a" is made by step "4", which there is not: name an earlier step`,
	} {
		steps[1].Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "a", MadeBy: by, Line: 9}}
		found := said(plan.Check(plan.Plan{Steps: steps}))
		if want == "" {
			assert.Empty(t, found)
			continue
		}
		assert.Equal(t, []string{want}, found)
	}
	shared := []plan.Prerequisite{{Kind: plan.Directory, Name: "a"}}
	steps[1].Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "./a"}}
	assert.Equal(
		t, []string{`conflicting_requirements 2:4 "a" has to be a file and a directory: mend one of the paths`},
		said(plan.Check(plan.Plan{Prerequisites: shared, Steps: steps})))
}

func TestCriteria(t *testing.T) {
	for _, c := range []struct {
		name string
		k    plan.Criterion
		want string
	}{
		{"kind", plan.Criterion{Kind: "sorcery", Path: "a"}, `invalid: there are no criteria of the kind "sorcery"`},
		{"path", plan.Criterion{Kind: plan.Exists}, `invalid: the criterion exists has the path "", which is empty`},
		{"tree", plan.Criterion{Kind: plan.Exists, Path: "a/.."}, "which is the tree itself: name something in it"},
		{"absolute", plan.Criterion{Kind: plan.Size, Path: "/a", Min: 1}, "which is absolute"},
		{"format", plan.Criterion{Kind: plan.Format, Path: "a", Text: "JSON"},
			`invalid: the criterion format asks for "JSON": use json, csv, xml or utf-8`},
		{"no headings", plan.Criterion{Kind: plan.Sections, Path: "a"},
			`unclear_criteria: the criterion sections names no headings: name those that "a" must have`},
		{"blank heading", plan.Criterion{Kind: plan.Sections, Path: "a", Texts: []string{"A", " "}},
			`invalid: the criterion sections names the heading " ", which says nothing`},
		{"no bounds", plan.Criterion{Kind: plan.Count, Path: "a"},
			"unclear_criteria: the criterion count has no bounds, and so is met by everything: give a minimum or a " +
				"maximum"},
		{"no size", plan.Criterion{Kind: plan.Size, Path: "a"}, "unclear_criteria: the criterion size has no bounds"},
		{"min > max", plan.Criterion{Kind: plan.Size, Path: "a", Min: 2, Max: 1},
			"invalid: the criterion size asks for at least 2 and at most 1: swap or mend the bounds"},
		{"negative", plan.Criterion{Kind: plan.Size, Path: "a", Min: -2, Max: 1},
			"invalid: the criterion size has a bound below 0: use 0 or more"},
		{"expression", plan.Criterion{Kind: plan.Content, Path: "a", Text: "(x"},
			`invalid: the criterion content has an expression that cannot be used: missing closing ): "(x"`},
		{"costly", plan.Criterion{Kind: plan.Content, Path: "a", Text: strings.Repeat("[^x]{900}", 9)},
			"it repeats too much: use smaller numbers of repetitions"},
		{"long", plan.Criterion{Kind: plan.Count, Path: "a", Min: 1, Text: strings.Repeat("x", 1001)},
			"it is longer than 1000 bytes"},
		{"no content", plan.Criterion{Kind: plan.Content, Path: "a"},
			`unclear_criteria: the criterion content has the expression "", which every text matches: say what must ` +
				`be in "a"`},
		{"any content", plan.Criterion{Kind: plan.Content, Path: "a", Text: "(?:.*)|x+"},
			"unclear_criteria: the criterion content has the expression"},
		{"pattern", plan.Criterion{Kind: plan.Count, Path: "a[", Min: 1},
			`invalid: the criterion count has the pattern "a[": a bracket in it is not closed`},
		{"pattern above", plan.Criterion{Kind: plan.Count, Path: "a/{b,..}/*", Min: 1}, "it has .. in it"},
		{"costly pattern", plan.Criterion{Kind: plan.Count, Path: strings.Repeat("{a,aa}", 5), Min: 1},
			"more than 4 groups of alternatives"},
		{"no command", plan.Criterion{Kind: plan.Passes},
			"invalid: the criterion has no command: give a program with its arguments"},
		{"option", plan.Criterion{Kind: plan.Passes, Command: &plan.Command{Args: []string{"-c"}}},
			"begins with '-' as an option does"},
		{"unread", plan.Criterion{Kind: plan.Exists, Path: "a", Text: "x", Min: 1},
			"unclear_criteria: the criterion exists does not look at its text and its min: leave it out"},
		{"unread path", plan.Criterion{Kind: plan.Passes, Path: "a", Command: &plan.Command{Args: []string{"x"}}},
			"unclear_criteria: the criterion command does not look at its path"},
	} {
		s := step("1")
		c.k.Line = 8
		s.Criteria = []plan.Criterion{c.k}
		found := plan.Check(plan.Plan{Steps: []plan.Step{s}})
		if assert.Len(t, found, 1, c.name) {
			assert.Equal(t, 8, found[0].Line, c.name)
			assert.Contains(t, string(found[0].Kind)+": "+found[0].Text, c.want, c.name)
		}
	}
	assert.Equal(t, []string{"unclear_criteria 1:6 the step has no criteria: say what must be true when it is done"},
		said(plan.Check(plan.Plan{Steps: []plan.Step{{ID: "1", Instructions: "Do it.", Line: 6}}})))
}

// What is judged is in the tree, and so is what judges it, unless it is a program of the machine.
// Git's own directory is neither.
func TestPathsOutOfTheTree(t *testing.T) {
	passes := func(program string) plan.Plan {
		s := step("1")
		s.Criteria = []plan.Criterion{{Kind: plan.Passes, Command: &plan.Command{Args: []string{program}}}}
		return plan.Plan{Steps: []plan.Step{s}}
	}
	gate := func(program string) plan.Plan {
		return plan.Plan{Gate: []plan.Command{{Args: []string{program}}}, Steps: []plan.Step{step("1")}}
	}
	needs := func(kind plan.PrerequisiteKind, name string) plan.Plan {
		return plan.Plan{Prerequisites: []plan.Prerequisite{{Kind: kind, Name: name}}, Steps: []plan.Step{step("1")}}
	}
	criterion := func(k plan.Criterion) plan.Plan {
		s := step("1")
		s.Criteria = []plan.Criterion{k}
		return plan.Plan{Steps: []plan.Step{s}}
	}
	const leaves, ofGit = ", which leaves the tree: name something in it",
		"is in git's own directory: name something else in the tree"
	for _, c := range []struct {
		name string
		p    plan.Plan
		want string // empty is no fault
	}{
		{"criterion above", passes("../evil.sh"), `the criterion has the path "../evil.sh"` + leaves},
		{"criterion above, roundabout", passes("a/../../evil.sh"), leaves},
		{"criterion above, backslashes", passes(`..\evil.bat`), leaves},
		{"gate above", gate("../../evil.sh"), `the gate's command 1 has the path "../../evil.sh"` + leaves},
		{"prerequisite above", needs(plan.Program, "../evil.sh"),
			`the prerequisite has the path "../evil.sh"` + leaves},
		{"prerequisite absolute", needs(plan.Program, "/usr/bin/make"), "is absolute"},
		{"in the tree", passes("./tools/../lint.sh"), ""},
		{"of the machine", passes("make"), ""},
		{"of the machine, by its path", gate("/usr/bin/make"), ""},
		{"hook", gate(".git/hooks/pre-commit"), ofGit},
		{"hook by an absolute path", gate("/src/shop/.git/hooks/pre-commit"), ofGit},
		{"exists", criterion(plan.Criterion{Kind: plan.Exists, Path: ".git/config"}),
			`the criterion exists has the path ".git/config", which ` + ofGit},
		{"exists, in capitals", criterion(plan.Criterion{Kind: plan.Exists, Path: "./.GIT"}), ofGit},
		{"exists, short", criterion(plan.Criterion{Kind: plan.Exists, Path: "GIT~1/config"}), ofGit},
		{"exists, with what Windows drops", criterion(plan.Criterion{Kind: plan.Exists, Path: `sub\.git. \config`}),
			ofGit},
		{"a repository in the tree", criterion(plan.Criterion{Kind: plan.Content, Path: "sub/.git/HEAD", Text: "main"}),
			ofGit},
		{"counted", criterion(plan.Criterion{Kind: plan.Count, Path: ".git/refs/**", Min: 1}), ofGit},
		{"counted, as an alternative", criterion(plan.Criterion{Kind: plan.Count, Path: "{src,.git}/*", Min: 1}),
			ofGit},
		{"taken for granted", needs(plan.File, ".git/HEAD"), ofGit},
		{"directory taken for granted", needs(plan.Directory, ".git"), ofGit},
		{"names that begin so", criterion(plan.Criterion{Kind: plan.Exists, Path: ".github/.gitignore"}), ""},
	} {
		found := plan.Check(c.p)
		if c.want == "" {
			assert.Empty(t, said(found), c.name)
			continue
		}
		if assert.Len(t, found, 1, "%s: %v", c.name, said(found)) {
			assert.Equal(t, plan.Invalid, found[0].Kind, c.name)
			assert.Contains(t, found[0].Text, c.want, c.name)
		}
	}
}

func TestCriteriaThatCannotBothHold(t *testing.T) {
	size := func(path string, low, high int64) plan.Criterion {
		return plan.Criterion{Kind: plan.Size, Path: path, Min: low, Max: high, Line: int(low)}
	}
	count := func(path, text string, low, high int64) plan.Criterion {
		return plan.Criterion{Kind: plan.Count, Path: path, Text: text, Min: low, Max: high}
	}
	format := func(text string) plan.Criterion { return plan.Criterion{Kind: plan.Format, Path: "a", Text: text} }
	for _, c := range []struct {
		name string
		all  []plan.Criterion
		want string
	}{
		{"sizes", []plan.Criterion{size("a", 1, 5), size("./a", 6, 0)},
			`the criteria size of "./a" ask for at least 6 and for at most 5`},
		{"sizes of three", []plan.Criterion{size("a", 1, 9), size("a", 5, 0), size("a", 0, 4)},
			"at least 5 and for at most 4"},
		{"sizes that touch", []plan.Criterion{size("a", 1, 5), size("a", 5, 0)}, ""},
		{"sizes of others", []plan.Criterion{size("a", 1, 5), size("b", 6, 0)}, ""},
		{"counts", []plan.Criterion{count("a", "x", 3, 0), count("a", "x", 0, 2)},
			`the criteria count of "a" ask for at least 3 and for at most 2`},
		{"counts of others", []plan.Criterion{count("a", "x", 3, 0), count("a", "y", 0, 2)}, ""},
		{"formats", []plan.Criterion{format("json"), format("xml"), format("xml")},
			`"a" has to be JSON and XML: decide for one of them`},
		{"formats that agree", []plan.Criterion{format("json"), format("csv"), format("utf-8")}, ""},
		{"file and directory",
			[]plan.Criterion{{Kind: plan.Exists, Path: "a/b/c"}, {Kind: plan.Content, Path: "a/b", Text: "x"}},
			`"a/b" has to be a file and a directory: mend one of the paths`},
		{"exists in exists", []plan.Criterion{{Kind: plan.Exists, Path: "a/b/c"}, {Kind: plan.Exists, Path: "a/b"}},
			""},
	} {
		s := step("1")
		s.Criteria = c.all
		found := plan.Check(plan.Plan{Steps: []plan.Step{s}})
		if c.want == "" {
			assert.Empty(t, said(found), c.name)
			continue
		}
		if assert.Len(t, found, 1, c.name) {
			assert.Equal(t, plan.Conflicting, found[0].Kind, c.name)
			assert.Contains(t, found[0].Text, c.want, c.name)
		}
	}
	later := step("2")
	later.Criteria = []plan.Criterion{size("a", 6, 0)}
	first := step("1")
	first.Criteria = []plan.Criterion{size("a", 1, 5)}
	assert.Empty(t, plan.Check(plan.Plan{Steps: []plan.Step{first, later}}), "a later step may make it larger")
}

// O22: everything is found at once, in order.
func TestAllFaultsAreFound(t *testing.T) {
	p := plan.Plan{
		Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "/a", Line: 2}},
		Steps: []plan.Step{
			{ID: "a", Instructions: "TBD", Criteria: []plan.Criterion{{Kind: plan.Count, Path: "x", Line: 5}}, Line: 4},
			{ID: "a", Instructions: "Do it.", Line: 6},
		},
	}
	var got []string
	for _, f := range plan.Check(p) {
		got = append(got, fmt.Sprintf("%s %s:%d", f.Kind, f.Step, f.Line))
	}
	want := []string{"invalid :2", "silent_plan a:4", "unclear_criteria a:5", "invalid a:6", "unclear_criteria a:6"}
	assert.Equal(t, want, got)

	many := plan.Check(plan.Plan{Steps: make([]plan.Step, 5000)})
	require.Len(t, many, 1000)
	assert.Equal(t, "there are more faults than are listed: mend these first", many[999].Text)
}

func TestWhatFaultsShowIsMaskedAndBounded(t *testing.T) {
	s := step("1")
	s.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "/password=hunter2hunter2" +
		strings.Repeat("x", 10000)}}
	found := plan.Check(plan.Plan{Steps: []plan.Step{s}})
	require.Len(t, found, 1)
	assert.NotContains(t, found[0].Text, "hunter2")
	assert.Less(t, len(found[0].Text), 500)
}
