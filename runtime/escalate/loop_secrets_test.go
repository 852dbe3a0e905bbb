package escalate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// secret is in every text that others give; leak is what of it must be nowhere.
const (
	secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	leak   = "0123456789abcdefghijABCDEFGHIJ"
)

// planted puts something into every text of a value that is not empty, but for fields that are
// named, which are words and no texts.
func planted(v reflect.Value, plant func(field, text string) string, but ...string) {
	var into func(v reflect.Value, field string)
	into = func(v reflect.Value, field string) {
		switch v.Kind() {
		case reflect.String:
			if v.String() != "" {
				v.SetString(plant(field, v.String()))
			}
		case reflect.Pointer:
			if !v.IsNil() {
				into(v.Elem(), field)
			}
		case reflect.Slice:
			for i := range v.Len() {
				into(v.Index(i), field)
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				v.SetMapIndex(key, reflect.ValueOf(plant(field, v.MapIndex(key).String())))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; v.Type().Field(i).IsExported() &&
					!strings.Contains(strings.Join(but, " ")+" ", name+" ") {
					into(v.Field(i), name)
				}
			}
		}
	}
	into(v, "")
}

// textsOf calls visit with every text of a value that its owner has to mask. Evidence and errors
// mask themselves when they are shown.
func textsOf(v reflect.Value, path string, visit func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		visit(path, v.String())
	case reflect.Pointer:
		if _, masksItself := v.Interface().(*taxonomy.Evidence); !masksItself && !v.IsNil() {
			textsOf(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			textsOf(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			textsOf(v.MapIndex(key), path+"["+key.String()+"]", visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				textsOf(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
			}
		}
	}
}

// withSecret puts a secret into a text of a plan or of evidence.
func withSecret(field, text string) string {
	switch field {
	case "Path", "Files", "Args":
		return text + "/" + secret
	case "Name":
		return text + "?token=" + secret
	}
	return text + " token=" + secret
}

func planOfSecrets() plan.Plan {
	p := plan.Plan{
		Title: "Reports", Gate: []plan.Command{{Args: []string{"true"}}},
		Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "AGENTS.md", Doc: "reading"},
			{Kind: plan.Address, Name: "http://localhost:80/", Doc: "asking"}},
	}
	for _, id := range []string{"1", "2"} {
		p.Steps = append(p.Steps, plan.Step{
			ID: id, Title: "Report " + id, Instructions: "Write it.",
			Prerequisites: []plan.Prerequisite{{Kind: plan.Directory, Name: "data", Doc: "the data"}},
			Criteria: []plan.Criterion{
				{Kind: plan.Content, Path: "report.md", Text: "found"},
				{Kind: plan.Sections, Path: "report.md", Texts: []string{"Rules"}},
				{Kind: plan.Passes, Command: &plan.Command{Args: []string{"go", "vet"}}},
			},
		})
	}
	planted(reflect.ValueOf(&p), withSecret, "ID", "Kind", "MadeBy")
	return p
}

// told is evidence with a secret in each text of it that is no word of the vocabulary.
func told(source, op, typ, text string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: source, Op: op, Type: typ, Text: text, Output: "out", Files: []string{"a"},
		Attributes: map[string]string{"name": "b", "kind": "file"},
		Code:       "c", Signal: "d", Errno: "e", Credential: "f",
	}
	planted(reflect.ValueOf(ev), withSecret, "Source", "Op", "Type", "Err")
	return ev
}

// leaky verifies nothing, and tells everything.
type leaky struct {
	gate   []*taxonomy.Evidence
	absent bool
}

func (l *leaky) Prerequisites(_ context.Context, all []plan.Prerequisite) []escalate.Verification {
	var out []escalate.Verification
	for _, p := range all {
		v := escalate.Verification{Prerequisite: p, How: "opened with " + secret}
		if l.absent {
			v.Failed = told("plan", "prepare", "missing", "not there")
		}
		out = append(out, v)
	}
	return out
}
func (l *leaky) Gate(context.Context, []plan.Command) []*taxonomy.Evidence       { return l.gate }
func (l *leaky) Criteria(context.Context, []plan.Criterion) []*taxonomy.Evidence { return nil }

// looked is a journal that looks at what is on disk after each save.
type looked struct {
	escalate.Journal
	dir  string
	look func(name string, b []byte)
}

func (l *looked) Save(ctx context.Context, s *escalate.State) error {
	err := l.Journal.Save(ctx, s)
	_ = fs.WalkDir(os.DirFS(l.dir), ".", func(path string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			b, _ := os.ReadFile(filepath.Join(l.dir, path))
			l.look(path, b)
		}
		return nil
	})
	return err
}

// A secret in any text of a plan, a verification, a review, a report, a diagnosis or an answer is
// in nothing that is kept, shown or sent.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := &leaky{absent: true}
	dir := t.TempDir()
	files, err := escalate.NewFileJournal(dir)
	require.NoError(t, err)
	critic, planCritic := &scripted{world: w, name: "critic"}, &scripted{world: w, name: "critic"}
	clear := func(what string) turn {
		return func(_ context.Context, _ *scripted, prompt string) (string, error) { return block(prompt, what), nil }
	}
	w.cfg.Verifier, w.cfg.Commit = v, true
	w.cfg.Reviewer = escalate.NewReviewer(critic, escalate.ReviewerOptions{Look: "look at " + secret})
	w.cfg.PlanReviewer = escalate.NewPlanReviewer(planCritic, escalate.ReviewerOptions{Look: "look at " + secret})
	w.cfg.Journal = &looked{files, dir,
		func(name string, b []byte) { assert.False(t, strings.Contains(string(b), leak), name) }}
	p := planOfSecrets()
	nowhere := func(res *escalate.Result) {
		t.Helper()
		w.nowhere(res, critic, planCritic)
	}

	// What the plan takes for granted is not there, and a reviewer finds it wanting.
	planCritic.script = []turn{clear(`"faults":[{"kind":"several_readings","step":"1","text":"which? token=` + secret +
		`"}]`), clear(`"faults":[]`), clear(`"faults":[]`)}
	res := w.run(p)
	require.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
	nowhere(res)

	// A report, a diagnosis, a mending that fails, and a diagnosis that leads to a person.
	v.absent = false
	odd := "half-" + secret + ".md"
	w.tiers["low"].script = []turn{saysFailed("missing: token="+secret+"\n"+secret, odd, secret)}
	w.tiers["mid"].script = []turn{
		clear(fmt.Sprintf(
			`"verdict":"simple","cause":"token=%[1]s","fix":"use %[1]s","instructions":"Write it with %[1]s.",`+
				`"needed":"%[1]s"`, secret)),
		clear(fmt.Sprintf(
			`"status":"failed","code":"%[1]s","finding":"f %[1]s","context":{"reason":"%[1]s","%[1]s":"x"},`+
				`"details":"broken: %[1]s","files":["a/%[1]s"],"retryable":true`, secret)),
	}
	w.tiers["top"].script = []turn{complexly("token="+secret, "decide about "+secret)}
	res = w.run(p)
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	nowhere(res)

	// An answer; a gate that fails, a review that finds something, a tier that fails itself; then
	// all of it counts.
	gates := []*taxonomy.Evidence{told("check", "gate", "", "exit status 1")}
	w.cfg.Verifier = &gateOnce{leaky: v, first: gates}
	critic.script = []turn{
		clear(fmt.Sprintf(`"findings":[{"finding":"drift","text":"drift: token=%[1]s","files":["a/%[1]s"]}]`, secret)),
		clear(`"findings":[]`), clear(`"findings":[]`),
	}
	w.tiers["low"].script = append(w.tiers["low"].script, does("report.md", "found", odd, secret),
		func(context.Context, *scripted, string) (string, error) {
			return "", told("low", "call", "down", "no key")
		})
	simple := clear(
		fmt.Sprintf(`"verdict":"simple","cause":"token=%[1]s","instructions":"Write all of it with %[1]s."`, secret))
	w.tiers["mid"].script = append(w.tiers["mid"].script, simple, does("report.md", "found", odd, secret),
		does("report-2.md", "found"))
	w.tiers["top"].script = append(w.tiers["top"].script, simple, does("report.md", "found", odd, secret))
	res = w.answer(p, escalate.Answer{Text: "use token=" + secret + "\nand " + secret, By: "Ann token=" + secret})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	require.NotNil(t, res.Steps[0].Correction)
	nowhere(res)
	assert.NotContains(t, w.git("log", "--all", "--format=%B %an %D"), leak)
}

// gateOnce fails the first time that its gate is run.
type gateOnce struct {
	*leaky
	first []*taxonomy.Evidence
}

func (g *gateOnce) Gate(context.Context, []plan.Command) []*taxonomy.Evidence {
	first := g.first
	g.first = nil
	return first
}

// nowhere looks for the secret in all that came of a run so far.
func (w *world) nowhere(res *escalate.Result, others ...*scripted) {
	w.t.Helper()
	shown := 0
	look := func(path, text string) {
		w.t.Helper()
		shown += strings.Count(text, taxonomy.Redacted)
		if at := strings.Index(text, leak); at >= 0 {
			w.t.Errorf("%s has the secret: ...%q", path, text[max(0, at-60):at+10])
		}
	}
	textsOf(reflect.ValueOf(res), "Result", look)
	encoded, err := json.Marshal(res)
	require.NoError(w.t, err)
	look("JSON", string(encoded))
	for i := range w.events {
		textsOf(reflect.ValueOf(w.events[i]), fmt.Sprint("event ", w.events[i].Kind), look)
	}
	look("question", res.Question.Text())
	for _, s := range append(others, w.tiers["low"], w.tiers["mid"], w.tiers["top"]) {
		for _, prompt := range s.prompts {
			look("prompt of "+s.name, prompt)
		}
	}
	assert.Greater(w.t, shown, 20, "the secret was there")
}

// Each text of a result is bounded, whatever a plan, a verifier or a tier says.
func TestTextsOfAResultAreBounded(t *testing.T) {
	t.Parallel()
	const bound = 64 << 10 // Config.MaxEvidence, of which nothing has more
	w := newWorld(t)
	long := strings.Repeat("a long text with words ", 4_500)
	p := oneStep()
	p.Prerequisites = []plan.Prerequisite{{Kind: plan.Address,
		Name: "http://localhost:80/" + strings.Repeat("x", 100<<10), Doc: long}}
	planted(reflect.ValueOf(&p), func(field, text string) string {
		if field == "Name" || field == "Path" || field == "Args" {
			return text
		}
		return text + "\n" + long
	}, "ID", "Kind", "MadeBy", "Text", "Gate")
	w.cfg.Verifier = wordy{long}
	w.tiers["low"].script = []turn{saysFailed("missing: " + long)}
	most, all := long[:16_000], long[:32_000] // what a diagnosis may have
	w.tiers["mid"].script = []turn{simply(most, all), labels("broken", long)}
	w.tiers["top"].script = []turn{complexly(most, most), simply(most, all), does("report.md", "found")}
	asked := w.run(p)
	require.Equal(t, escalate.EndQuestion, asked.EndReason, asked.Error)
	w.tiers["low"].script = append(w.tiers["low"].script, saysFailed("missing: "+long))
	w.tiers["mid"].script = append(w.tiers["mid"].script, complexly(long, long)) // too long to be read
	res := w.answer(p, escalate.Answer{Text: long, By: long})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	require.NotNil(t, res.Steps[0].Correction)
	for _, res := range []*escalate.Result{asked, res} {
		textsOf(
			reflect.ValueOf(res), "Result", func(path, text string) { assert.LessOrEqual(t, len(text), bound, path) })
	}
	encoded, err := json.Marshal(res)
	require.NoError(t, err)
	assert.Less(t, len(encoded), 2<<20)
}

// wordy finds all well, at length.
type wordy struct{ text string }

func (v wordy) Prerequisites(_ context.Context, all []plan.Prerequisite) []escalate.Verification {
	var out []escalate.Verification
	for _, p := range all {
		out = append(out, escalate.Verification{Prerequisite: p, How: v.text})
	}
	return out
}
func (wordy) Gate(context.Context, []plan.Command) []*taxonomy.Evidence       { return nil }
func (wordy) Criteria(context.Context, []plan.Criterion) []*taxonomy.Evidence { return nil }
