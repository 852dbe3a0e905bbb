package contract_test

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// planStories are all stories.
func planStories() []PlanStory {
	var all []PlanStory
	for _, more := range [][]PlanStory{walkthroughStories(), treeStories(), ladderStories(), retryStories(),
		reviewStories(), preparationStories(), acceptanceStories()} {
		all = append(all, more...)
	}
	return all
}

// onePlan has one step, which writes the word done to the file out.
func onePlan(more ...Step) Plan {
	one := Step{ID: "1", Instructions: "Write out.", Criteria: []Criterion{{Path: "out", Matches: "done"}}}
	return Plan{Gate: []plan.Command{{Run: []string{"test", "!", "-e", "broken"}}}, Steps: append([]Step{one}, more...)}
}

var (
	outDone     = Files{"out": "done"}
	carries     = Turn{Writes: outDone}                                        // carries the step out
	puzzled     = Turn{Says: "something is odd", Fails: true}                  // reports what no rule knows
	refused     = Turn{Says: "bash: fd: command not found", Fails: true}       // reports what will not pass
	rateLimited = Turn{Away: &taxonomy.Evidence{Status: 429}}                  // has too many requests
	noKey       = Turn{Away: &taxonomy.Evidence{Status: 401}}                  // has a key that is refused
	handsOn     = Turn{Cause: "Two files fit.", Needed: "which file is meant"} // cannot decide it
)

// byHaiku and bySonnet are the outcomes of a step that the first or the second tier completes.
func byHaiku(turns int) PlanWant {
	return PlanWant{Status: "completed", Steps: []string{"1 completed haiku"}, Turns: Counts{"haiku": turns},
		Commits: [][]string{{"out"}}}
}

func bySonnet(failure string) PlanWant {
	return PlanWant{Status: "completed", Steps: []string{"1 completed sonnet"}, Turns: Counts{"haiku": 1, "sonnet": 1},
		Failures: []string{"1 haiku " + failure}, Commits: [][]string{{"out"}}}
}

// blockedAt is the outcome of a step that ends with a person.
func blockedAt(code string, turns Counts, failures ...string) PlanWant {
	return PlanWant{Status: "blocked", Code: code, Steps: []string{"1 blocked"}, Turns: turns, Failures: failures,
		Asked: "1"}
}

// with returns a want with some of it changed.
func (w PlanWant) with(change func(w *PlanWant)) PlanWant {
	change(&w)
	return w
}

func walkthroughStories() []PlanStory {
	raw := "Error: File not found - CLAUDE.md referenced in plan but file doesn't exist at specified path\n" +
		strings.Repeat("line of the report, word for word\n", 200) + "| {{.Mark}} <b>\tend"
	right := "Read AGENTS.md, and write to r.md what it says."
	want := PlanWant{
		Status: "completed", Steps: []string{"2.2 completed haiku", "2.3 completed sonnet", "2.4 completed haiku"},
		Turns:    Counts{"haiku": 3, "sonnet": 1},
		Failures: []string{"2.3 haiku PREREQUISITE_FAILURE"},
		Commits:  [][]string{{"out"}, {"r.md"}, {"last"}}, Absent: []string{"half"},
		Corrected: []string{"2.3 sonnet: " + right},
		Told:      map[string][]string{"sonnet": {raw, "Tests"}, "haiku": {"Write last.", "!CLAUDE.md"}},
	}
	return []PlanStory{{
		Name: "walkthrough", Rows: "O4 O15 O18 O19 O20 O21 O23 O24 O25 O26 O27 O28 O29",
		Plan: Plan{
			Needs: []Need{{File: "go.mod"}, {Program: "test"}, {Address: "SERVICE"}},
			Gate:  []plan.Command{{Run: []string{"test", "-e", "go.mod"}}},
			Steps: []Step{
				{ID: "2.2", Instructions: "Write out.", Criteria: []Criterion{{Path: "out", Matches: "done"}}},
				{ID: "2.3", Instructions: "Read CLAUDE.md, and write to r.md what it says.",
					Criteria: []Criterion{{Path: "r.md", Matches: "Tests"}, {Path: "r.md", Matches: "cents"}}},
				{ID: "2.4", Instructions: "Write last.", Criteria: []Criterion{{Path: "last", Matches: "x"}}},
			},
		},
		Tiers: Turns{
			"haiku": {carries, {Says: raw, Fails: true, Writes: Files{"half": "half"}},
				{Writes: Files{"last": "x"}}},
			"sonnet": {{Cause: "The plan names CLAUDE.md.", Instructions: right,
				Writes: Files{"r.md": "# Tests\n\n# Prices\n\ncents\n"}}},
		},
		Want: want,
		Then: []PlanRound{{Want: want}}, // nothing is done twice
	}}
}

// treeStories are the decision tree: the report of a weak tier is raw, that of a strong one has a
// label.
func treeStories() []PlanStory {
	const (
		missing    = "PREREQUISITE_FAILURE"
		failed     = "EXECUTION_ERROR"
		unexpected = "UNEXPECTED_RESULT"
		unclear    = "AMBIGUITY_ERROR"
		unknown    = "UNCLASSIFIED"
	)
	wrote := func(path, text string) Turn { return Turn{Writes: Files{"out": "done", path: text}} }
	all := []PlanStory{}
	for _, weak := range []struct {
		name, rows string
		turn       Turn
		code       string
	}{
		{"missing file", "O31 O32 O4", Turn{Says: "cat: CLAUDE.md: No such file or directory", Fails: true}, missing},
		{"missing command", "O32 O9", refused, missing},
		{"missing file beats a failed command", "O38",
			Turn{Says: "--- FAIL: TestX\ncat: a: No such file or directory", Fails: true}, missing},
		{"command fails", "O33 O5", Turn{Says: "--- FAIL: TestX (0.00s)", Fails: true}, failed},
		{"gate fails", "O33 O5 O24", wrote("broken", "x"), failed},
		{"gate beats criteria", "O38", Turn{Writes: Files{"broken": "x"}}, failed},
		{"nothing was written", "O34 O6", Turn{Says: "I have done it."}, unexpected},
		{"something else was written", "O34 O6", Turn{Writes: Files{"out": "wrong"}}, unexpected},
		{"no report", "O37 O24", Turn{Says: "I have done it.", Claim: "Well.", Writes: outDone}, unexpected},
		{"claim of another call", "O37 O24", Turn{Claim: "STEP DONE 00000000", Writes: outDone}, unexpected},
		{"claim without a mark", "O37 O24", Turn{Claim: "STEP DONE", Writes: outDone}, unexpected},
		{"quoted claim", "O37 O24", Turn{Claim: "> STEP DONE 00000000", Writes: outDone}, unexpected},
		{"label of a tier that may give none", "O19", Turn{Says: "odd", Label: unclear}, unknown},
		{"nothing is known", "O19 O27", puzzled, unknown},
	} {
		all = append(all, PlanStory{
			Name: weak.name, Rows: weak.rows, Plan: onePlan(), Want: bySonnet(weak.code),
			Tiers: Turns{"haiku": {weak.turn}, "sonnet": {carries}},
		})
	}
	for _, strong := range []struct {
		name, rows string
		turn       Turn
		code       string
	}{
		{"ambiguous", "O7 O12 O18 O36", Turn{Says: "odd", Label: unclear}, unclear},
		{"ambiguous is never retryable", "O12", Turn{Says: "odd", Label: unclear, Reason: "timeout"}, unclear},
		{"label beats the exit status", "O36 O38", Turn{Says: "odd", Label: unclear, Exit: 1}, unclear},
		{"label beats a text", "O38", Turn{Says: "cat: a: No such file or directory", Label: unclear}, unclear},
		{"signal beats a label", "O38", Turn{Says: "odd", Label: unclear, Signal: "SIGKILL"}, failed},
		{"failed although it claims to be done", "O37", Turn{Says: "odd", Label: failed, Claim: "STEP DONE MARK"},
			failed},
		{"label that only a review may give", "O8 O35",
			Turn{Says: "odd", Label: "INTER_AGENT_MISALIGNMENT", Exit: 3}, failed},
		{"label of the failures of tiers", "O18", Turn{Says: "odd", Label: "TIER_RATE_LIMITED"}, unknown},
		{"compilation error", "O10", Turn{Says: "odd", Label: failed, Reason: "compilation_error"}, failed},
		{"wrong algorithm", "O11", Turn{Says: "odd", Label: unexpected, Reason: "wrong_algorithm"}, unexpected},
	} {
		strong.turn.Fails = true
		all = append(all, PlanStory{
			Name: strong.name, Rows: strong.rows, Plan: onePlan(),
			Tiers: Turns{"haiku": {puzzled}, "sonnet": {strong.turn}, "opus": {carries}},
			Want: PlanWant{Status: "completed", Steps: []string{"1 completed opus"},
				Turns:    Counts{"haiku": 1, "sonnet": 1, "opus": 1},
				Failures: []string{"1 haiku " + unknown, "1 sonnet " + strong.code}, Commits: [][]string{{"out"}}},
		})
	}
	return all
}

func ladderStories() []PlanStory {
	asked := blockedAt("UNCLASSIFIED", Counts{"haiku": 1, "sonnet": 1, "opus": 1},
		"1 haiku UNCLASSIFIED", "1 sonnet UNCLASSIFIED", "1 opus UNCLASSIFIED").
		with(func(w *PlanWant) {
			w.Question = []string{"which file is meant", "something is odd", "sonnet", "opus"}
			w.Absent = []string{"half"}
		})
	lost := Turns{
		"haiku":  {{Says: "something is odd", Fails: true, Writes: Files{"half": "x"}}, carries},
		"sonnet": {handsOn, handsOn}, "opus": {handsOn, handsOn},
	}
	answered := byHaiku(2).with(func(w *PlanWant) {
		w.Turns, w.Failures = Counts{"haiku": 2, "sonnet": 1, "opus": 1}, asked.Failures
		w.Told = map[string][]string{"haiku": {"It is AGENTS.md."}}
	})
	wrong := asked.with(func(w *PlanWant) {
		w.Turns, w.Question = Counts{"haiku": 1, "sonnet": 2, "opus": 2}, []string{"which file is meant"}
		w.Absent = []string{"out"} // the person's work is judged and reverted like the agent's
		w.Failures = slices.Concat(asked.Failures,
			[]string{"1 haiku UNEXPECTED_RESULT", "1 sonnet UNCLASSIFIED", "1 opus UNCLASSIFIED"})
	})
	byHand := wrong.with(func(w *PlanWant) {
		w.Status, w.Code, w.Steps, w.Asked, w.Question = "completed", "", []string{"1 completed"}, "", nil
		w.Commits, w.Absent = [][]string{{"out"}}, nil
	})
	next := func(id string) Step {
		return Step{ID: id, Instructions: "Write out.", Criteria: []Criterion{{Path: "out", Matches: "done"}}}
	}
	sameError := blockedAt("PREREQUISITE_FAILURE", Counts{"haiku": 3, "sonnet": 3}).with(func(w *PlanWant) {
		w.Steps = []string{"1 completed sonnet", "2 completed sonnet", "3 completed sonnet", "4 blocked"}
		for _, step := range "1234" {
			w.Failures = append(w.Failures, string(step)+" haiku PREREQUISITE_FAILURE")
		}
		w.Asked, w.Question, w.Commits = "4", []string{"the last 3 steps"}, [][]string{{"out"}}
	})
	return []PlanStory{
		{
			Name: "only the last tier reaches a person", Rows: "O22 O28 O30", Plan: onePlan(), Tiers: lost, Want: asked,
			Then: []PlanRound{{Want: asked}, {Answer: &PlanAnswer{Text: "It is AGENTS.md."}, Want: answered}},
		},
		{
			Name: "a person carries the step out", Rows: "O24 O30", Plan: onePlan(), Tiers: lost, Want: asked,
			Then: []PlanRound{
				{Answer: &PlanAnswer{ByHand: true}, Writes: Files{"out": "wrong"}, Want: wrong},
				{Answer: &PlanAnswer{ByHand: true}, Writes: outDone, Want: byHand},
			},
		},
		{
			Name: "a correction counts only with its work", Rows: "O24 O29",
			Plan: onePlan(),
			Tiers: Turns{"haiku": {puzzled},
				"sonnet": {{Instructions: "Do something else.", Writes: Files{"other": "x"}}}, "opus": {carries}},
			Want: PlanWant{Status: "completed", Steps: []string{"1 completed opus"}, Commits: [][]string{{"out"}},
				Turns:    Counts{"haiku": 1, "sonnet": 1, "opus": 1},
				Failures: []string{"1 haiku UNCLASSIFIED", "1 sonnet UNEXPECTED_RESULT"}, Absent: []string{"other"}},
		},
		{
			Name: "a refused key hands over", Rows: "O15", Plan: onePlan(),
			Tiers: Turns{"haiku": {noKey}, "sonnet": {carries}},
			Want:  bySonnet("TIER_REFUSED"),
		},
		{
			Name: "a tier is waited for", Rows: "O10", Plan: onePlan(),
			Tiers: Turns{"haiku": {rateLimited, rateLimited, carries}},
			Want: byHaiku(3).with(func(w *PlanWant) {
				w.Waited, w.Failures = 60e9, []string{"1 haiku TIER_RATE_LIMITED", "1 haiku TIER_RATE_LIMITED"}
			}),
		},
		{
			Name: "no tier can be called", Rows: "O30", Plan: onePlan(),
			Tiers: Turns{"haiku": {noKey}, "sonnet": {noKey}, "opus": {noKey}},
			Want: blockedAt("TIER_REFUSED", Counts{"haiku": 1, "sonnet": 1, "opus": 1},
				"1 haiku TIER_REFUSED", "1 sonnet TIER_REFUSED", "1 opus TIER_REFUSED"),
		},
		{
			Name: "cancelled, then run again", Rows: "O25", Plan: onePlan(),
			Tiers: Turns{"haiku": {{Cancels: true, Writes: Files{"half": "x"}}, carries}},
			Want: PlanWant{Status: "cancelled", Steps: []string{"1 cancelled"}, Turns: Counts{"haiku": 1},
				Present: []string{"half"}},
			Then: []PlanRound{{Want: byHaiku(2).with(func(w *PlanWant) { w.Commits = [][]string{{"half", "out"}} })}},
		},
		{
			Name: "the same error in three steps", Rows: "O28", Plan: onePlan(next("2"), next("3"), next("4")),
			Tiers: Turns{"haiku": {refused, refused, refused, carries}, "sonnet": {carries, carries, carries}},
			Want:  sameError,
			Then: []PlanRound{{Want: sameError}, {Answer: &PlanAnswer{Step: "4", Text: "fd is there now."},
				Want: sameError.with(func(w *PlanWant) {
					w.Status, w.Code, w.Asked, w.Question = "completed", "", "", nil
					w.Steps, w.Failures = append(slices.Clone(w.Steps[:3]), "4 completed haiku"), w.Failures[:3]
					w.Turns = Counts{"haiku": 4, "sonnet": 3}
				})}},
		},
	}
}

func retryStories() []PlanStory {
	const away = "curl: (7) Failed to connect to localhost port 1: Connection refused"
	down, gone := Turn{Says: away, Fails: true}, Turn{Says: "cat: a: No such file or directory", Fails: true}
	flaky := Turn{Says: "odd", Fails: true, Label: "EXECUTION_ERROR", Reason: "flaky_test"}
	stale := Turn{Says: "odd", Fails: true, Label: "UNEXPECTED_RESULT", Reason: "stale_cache"}
	sonnet := func(code string) PlanWant {
		return PlanWant{Status: "completed", Steps: []string{"1 completed sonnet"},
			Turns: Counts{"haiku": 1, "sonnet": 2}, Failures: []string{"1 haiku UNCLASSIFIED", "1 sonnet " + code},
			Commits: [][]string{{"out"}}, Waited: 2e9}
	}
	all := []PlanStory{
		{
			Name: "the same tier again", Rows: "O9 O14", Plan: onePlan(),
			Tiers: Turns{"haiku": {down, carries}},
			Want: byHaiku(2).with(func(w *PlanWant) {
				w.Waited, w.Failures = 2e9, []string{"1 haiku PREREQUISITE_FAILURE"}
				w.Told = map[string][]string{"haiku": {away}}
			}),
		},
		{
			Name: "what does not pass goes up", Rows: "O9 O14", Plan: onePlan(),
			Tiers: Turns{"haiku": {down, down, down}, "sonnet": {carries}},
			Want: bySonnet("PREREQUISITE_FAILURE").with(func(w *PlanWant) {
				w.Turns, w.Waited = Counts{"haiku": 3, "sonnet": 1}, 6e9
				w.Failures = slices.Repeat([]string{"1 haiku PREREQUISITE_FAILURE"}, 3)
			}),
		},
		{Name: "flaky test", Rows: "O10", Plan: onePlan(), Want: sonnet("EXECUTION_ERROR"),
			Tiers: Turns{"haiku": {puzzled}, "sonnet": {flaky, carries}}},
		{Name: "stale cache", Rows: "O11", Plan: onePlan(), Want: sonnet("UNEXPECTED_RESULT"),
			Tiers: Turns{"haiku": {puzzled}, "sonnet": {stale, carries}}},
	}
	for _, p := range []struct {
		name, rows, profile string
		turn                Turn
		status, state       string
	}{
		{"a chain records what may pass", "O16", "chains", down, "failed", "failed"},
		{"a chain records what will not", "O16", "chains", gone, "failed", "failed"},
		{"a task waits for what may pass", "O17", "tasks", down, "blocked", "blocked"},
		{"a task fails for what will not", "O17", "tasks", gone, "failed", "failed"},
	} {
		failure := []string{"1 haiku PREREQUISITE_FAILURE"}
		all = append(all, PlanStory{
			Name: p.name, Rows: p.rows, Profile: p.profile, Plan: onePlan(),
			Tiers: Turns{"haiku": {p.turn, carries}},
			Want: PlanWant{Status: p.status, Code: "PREREQUISITE_FAILURE", Steps: []string{"1 " + p.state},
				Asked: "1", Turns: Counts{"haiku": 1}, Failures: failure},
			Then: []PlanRound{{Answer: &PlanAnswer{Text: "Now it is there."}, Want: byHaiku(2).with(func(w *PlanWant) {
				w.Failures, w.Told = failure, map[string][]string{"haiku": {"Now it is there."}}
			})}},
		})
	}
	return all
}

func reviewStories() []PlanStory {
	const drifts = "INTER_AGENT_MISALIGNMENT"
	passed, found := Verdict{}, Verdict{Finding: "fabrication", Text: "the test is not there"}
	overflow := Verdict{Finding: "context_overflow", Text: "too much was said"}
	rate, key := Verdict{Away: &taxonomy.Evidence{Status: 429}}, Verdict{Away: &taxonomy.Evidence{Status: 401}}
	three := Counts{"haiku": 1, "sonnet": 1, "opus": 1}
	stories := []PlanStory{
		{Name: "review passes", Rows: "O35", Facts: PlanFacts{Reviews: []Verdict{passed}},
			Tiers: Turns{"haiku": {carries}}, Want: byHaiku(1)},
		{Name: "review finds", Rows: "O8 O35", Facts: PlanFacts{Reviews: []Verdict{found, passed}},
			Tiers: Turns{"haiku": {carries}, "sonnet": {carries}},
			Want: bySonnet(drifts).with(func(w *PlanWant) {
				w.Told = map[string][]string{"sonnet": {found.Text}}
			})},
		{Name: "review finds always", Rows: "O8 O35", Facts: PlanFacts{Reviews: []Verdict{found, found, found}},
			Tiers: Turns{"haiku": {carries}, "sonnet": {carries}, "opus": {carries}},
			Want: blockedAt(drifts, three, "1 haiku "+drifts, "1 sonnet "+drifts, "1 opus "+drifts).
				with(func(w *PlanWant) { w.Question, w.Absent = []string{found.Text}, []string{"out"} })},
		{Name: "too much context", Rows: "O13", Facts: PlanFacts{Reviews: []Verdict{overflow, passed}},
			Tiers: Turns{"haiku": {carries, carries}},
			Want: byHaiku(2).with(func(w *PlanWant) {
				w.Waited, w.Failures = 1e9, []string{"1 haiku " + drifts}
			})},
		{Name: "what fails is not reviewed", Rows: "O34 O35", Facts: PlanFacts{Reviews: []Verdict{passed}},
			Tiers: Turns{"haiku": {{}}, "sonnet": {carries}}, Want: bySonnet("UNEXPECTED_RESULT")},
		{Name: "a reviewer is waited for", Rows: "O35", Facts: PlanFacts{Reviews: []Verdict{rate, rate, passed}},
			Tiers: Turns{"haiku": {carries}},
			Want:  byHaiku(1).with(func(w *PlanWant) { w.Waited = 60e9 })},
		{Name: "another tier reviews", Rows: "O35", Facts: PlanFacts{Reviews: []Verdict{key, passed}},
			Tiers: Turns{"haiku": {carries}}, Want: byHaiku(1)},
		{Name: "nothing is done without its review", Rows: "O35",
			Facts: PlanFacts{Reviews: []Verdict{key, key, passed}}, Tiers: Turns{"haiku": {carries}},
			Want: blockedAt("TIER_NOT_CALLED", Counts{"haiku": 1}, "1 haiku TIER_NOT_CALLED"),
			Then: []PlanRound{{Answer: &PlanAnswer{ByHand: true}, Want: byHaiku(1).with(func(w *PlanWant) {
				w.Steps, w.Failures = []string{"1 completed"}, []string{"1 haiku TIER_NOT_CALLED"}
			})}}},
	}
	for i := range stories {
		stories[i].Plan = onePlan()
	}
	return stories
}

// preparationStories have findings before the first call.
func preparationStories() []PlanStory {
	blocked := func(code string, facts ...string) PlanWant {
		return blockedAt(code, Counts{}, "1 haiku "+code).with(func(w *PlanWant) { w.Question = facts })
	}
	needs := func(all ...Need) Plan {
		p := onePlan()
		p.Needs = all
		return p
	}
	unclear, silent := onePlan(), onePlan()
	unclear.Steps[0].Criteria = nil
	silent.Steps[0].Instructions = "Write out.\n\nTODO"
	several := Verdict{Finding: "several_readings", Text: "which out is meant"}
	return []PlanStory{
		{Name: "no criteria", Rows: "O7 O36", Plan: unclear, Want: blocked("AMBIGUITY_ERROR")},
		{Name: "a placeholder", Rows: "O7 O36", Plan: silent, Want: blocked("AMBIGUITY_ERROR", "TODO")},
		{Name: "all that is missing is listed", Rows: "O22 O23",
			Plan: needs(Need{File: "go.mod"}, Need{File: "CLAUDE.md"},
				Need{Directory: "docs"}, Need{Program: "no-such-program"},
				Need{Env: "ERRGEN_NO_SUCH_VARIABLE"}),
			Tiers: Turns{"haiku": {carries}},
			Want: blocked("PREREQUISITE_FAILURE", "CLAUDE.md", "docs", "no-such-program", "ERRGEN_NO_SUCH_VARIABLE",
				"!go.mod"),
		},
		{Name: "provided by a person", Rows: "O23",
			Plan:  needs(Need{File: "CLAUDE.md"}, Need{File: "other.md"}),
			Tiers: Turns{"haiku": {carries}},
			Want:  blocked("PREREQUISITE_FAILURE", "CLAUDE.md", "!other.md"),
			Facts: PlanFacts{Files: Files{"other.md": "x"}},
			Then:  []PlanRound{{Writes: Files{"CLAUDE.md": "x"}, Want: byHaiku(1)}},
		},
		{Name: "a service that comes back", Rows: "O9 O23", Plan: needs(Need{Address: "SERVICE"}),
			Facts: PlanFacts{ServiceAfter: 2}, Tiers: Turns{"haiku": {carries}},
			Want: byHaiku(1).with(func(w *PlanWant) {
				w.Waited, w.Failures = 6e9, slices.Repeat([]string{"1 haiku PREREQUISITE_FAILURE"}, 2)
			})},
		{Name: "a service that stays away", Rows: "O9 O23", Plan: needs(Need{Address: "SERVICE"}),
			Facts: PlanFacts{ServiceAfter: 99},
			Want: blocked("PREREQUISITE_FAILURE").with(func(w *PlanWant) {
				w.Waited, w.Failures = 6e9, slices.Repeat([]string{"1 haiku PREREQUISITE_FAILURE"}, 3)
			})},
		{Name: "the plan is reviewed", Rows: "O7 O23", Plan: onePlan(),
			Facts: PlanFacts{PlanReviews: []Verdict{several}},
			Want:  blocked("AMBIGUITY_ERROR", several.Text)},
		{Name: "the plan is reviewed once", Rows: "O7 O23", Plan: onePlan(),
			Facts: PlanFacts{PlanReviews: []Verdict{{}}},
			Tiers: Turns{"haiku": {refused}, "sonnet": {carries}}, Want: bySonnet("PREREQUISITE_FAILURE")},
		{Name: "needs of a step go up the ladder", Rows: "O23 O32",
			Plan: onePlan(Step{ID: "2", Instructions: "Write two.", Needs: []Need{{File: "made", MadeBy: "1"}},
				Criteria: []Criterion{{Path: "two", Matches: "x"}}}),
			Tiers: Turns{"haiku": {carries}, "sonnet": {{Writes: Files{"made": "x", "two": "x"}}}},
			Want: PlanWant{Status: "completed", Steps: []string{"1 completed haiku", "2 completed sonnet"},
				Turns: Counts{"haiku": 1, "sonnet": 1}, Failures: []string{"2 haiku PREREQUISITE_FAILURE"},
				Commits: [][]string{{"out"}, {"made", "two"}}, Told: map[string][]string{"sonnet": {"made"}}}},
	}
}

func acceptanceStories() []PlanStory {
	litter := onePlan()
	litter.Gate = []plan.Command{{Run: []string{"sh", "-c", "test -e found-once || echo x > litter"}}}
	reformat := onePlan()
	reformat.Gate = []plan.Command{{Run: []string{"sh", "-c", "grep -q formatted out || echo done, formatted > out"}}}
	return []PlanStory{
		{Name: "checks leave something", Rows: "O34", Plan: litter,
			Tiers: Turns{"haiku": {carries},
				"sonnet": {{Writes: Files{"out": "done", "found-once": "x"}}}},
			Want: bySonnet("UNEXPECTED_RESULT").with(func(w *PlanWant) {
				w.Commits, w.Absent = [][]string{{"found-once", "out"}}, []string{"litter"}
			})},
		{Name: "checks change what was judged", Rows: "O34", Plan: reformat,
			Tiers: Turns{"haiku": {carries}, "sonnet": {{Writes: Files{"out": "done, formatted"}}}},
			Want:  bySonnet("UNEXPECTED_RESULT")},
		{Name: "criteria hold at the end", Rows: "O24",
			Plan: onePlan(Step{
				ID: "2", Instructions: "Write two.", Criteria: []Criterion{{Path: "two", Matches: "x"}},
			}),
			Tiers: Turns{"haiku": {carries, {Writes: Files{"two": "x", "out": "gone"}}}},
			Want: PlanWant{Status: "completed", Steps: []string{"1 completed haiku", "2 completed haiku"},
				Turns: Counts{"haiku": 2}, Commits: [][]string{{"out"}, {"out", "two"}},
				Warnings: [][]string{{"1", "out"}}}},
		{Name: "files that no tier may change", Rows: "O24", Plan: onePlan(),
			Facts: PlanFacts{Forbidden: []string{"plan.md"}},
			Tiers: Turns{"haiku": {{Writes: Files{"out": "done", "plan.md": "mine"}}}, "sonnet": {carries}},
			Want:  bySonnet("UNEXPECTED_RESULT").with(func(w *PlanWant) { w.Absent = []string{"plan.md"} })},
	}
}
