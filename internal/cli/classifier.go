package cli

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// classifier classifies by a taxonomy that was loaded, as the package generated from it does.
type classifier struct {
	loaded  *loaded
	profile *model.Profile // nil for the taxonomy as it is
	rules   *detect.Rules
	byName  map[string]*model.Rule
	places  map[string]diag.Span // of rules, by name
	options []detect.Option
}

func newClassifier(l *loaded, profile *model.Profile) *classifier {
	c := &classifier{
		loaded: l, profile: profile, rules: detection.Rules(l.model),
		byName: make(map[string]*model.Rule), places: rulePlaces(l),
	}
	for _, r := range l.model.Rules {
		c.byName[r.Name] = r
	}
	// What is explained is the way to a code; the error itself is not made.
	c.rules.Taxonomy = &taxonomy.Taxonomy{Domain: l.model.Domain}
	nothing := taxonomy.NewUnknown(c.rules.Taxonomy, taxonomy.Wire{})
	c.rules.Make = func(int, *taxonomy.Evidence) taxonomy.Error { return nothing }
	if profile != nil {
		overlay := &taxonomy.Profile{Detection: profile.Detection}
		c.options = []detect.Option{detect.WithTable(taxonomy.Table{Overlay: overlay})}
	}
	return c
}

// rulePlaces returns where the rules of a taxonomy stand.
func rulePlaces(l *loaded) map[string]diag.Span {
	places := make(map[string]diag.Span)
	t, _ := spec.Parse(l.name, l.source.Bytes)
	for _, category := range t.Categories {
		for _, code := range category.Codes {
			for i, rule := range code.Detect {
				places[code.Name.V+"/"+strconv.Itoa(i+1)] = rule.Span
			}
		}
	}
	return places
}

// matches reports whether a rule matches the evidence.
func (c *classifier) matches(ev *taxonomy.Evidence) bool {
	return c.rules.Match(ev, c.options) != detect.NoRule
}

// verdict says what evidence becomes.
func (c *classifier) verdict(ev *taxonomy.Evidence) *verdict {
	x := c.rules.Explain(ev, c.options)
	v := &verdict{}
	if c.profile != nil {
		v.Profile = c.profile.Name
	}
	v.Outcome = "unknown"
	row := c.loaded.model.Rows[taxonomy.RowUnknownPermanent]
	var rule *model.Rule
	if x.Rule != nil {
		rule = c.byName[x.Rule.Name]
		v.Outcome, v.Rule = "matched", c.ruleDoc(rule)
	}
	for _, r := range x.RunnersUp {
		v.RunnersUp = append(v.RunnersUp, *c.ruleDoc(c.byName[r.Name]))
	}
	code, ctx, missing := detection.Fill(c.loaded.model, rule, &x.Evidence)
	v.Evidence = x.Redacted()
	if rule == nil {
		v.Nearly = c.nearly(&x.Evidence)
	}
	if code == nil {
		v.Message = v.Evidence.Error()
	} else {
		if rule == nil {
			v.Outcome = "fallback"
		}
		v.code(code, masked(ctx), errorText(ev.Err))
		v.Missing = missing
		row = code.RowFor(ctx)
		v.when(code, row)
	}
	v.react(c.traits(row), code, ctx)
	return v
}

// traits returns what a row says under the profile.
func (c *classifier) traits(row *model.Row) model.Traits {
	if c.profile == nil {
		return row.Traits
	}
	return c.profile.Traits(row)
}

func (c *classifier) ruleDoc(r *model.Rule) *ruleMatch {
	at := c.places[r.Name]
	return &ruleMatch{
		Name: r.Name, Code: r.Code.Value, File: c.loaded.name, Line: at.Line, Column: at.Col, Rule: "{" + r.Doc + "}",
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// masked returns a context without secrets, whether or not its fields say that they may hold some:
// it goes to a terminal.
func masked(ctx model.Context) model.Context {
	out := make(model.Context, len(ctx))
	for f, v := range ctx {
		switch v.Type {
		case model.String:
			v.Str = taxonomy.Scrub(v.Str)
		case model.JSON:
			if taxonomy.Scrub(v.Str) != v.Str {
				v.Str = strconv.Quote(taxonomy.Redacted)
			}
		case model.Strings:
			list := slices.Clone(v.Strings)
			for i, s := range list {
				list[i] = taxonomy.Scrub(s)
			}
			v.Strings = list
		case model.ObjectType:
			v.Object = masked(v.Object)
		}
		out[f] = v
	}
	return out
}

func contextJSON(code *model.Code, ctx model.Context) json.RawMessage {
	return json.RawMessage(sample.JSON(code.Category.Fields, ctx))
}

// nearly returns the rules of which all parts but one hold, those of which most hold first. That
// nothing but the source or the op holds is only worth a word where few rules are like that.
func (c *classifier) nearly(ev *taxonomy.Evidence) []nearRule {
	var best, general []nearRule
	for i := range c.rules.Rules {
		r := &c.rules.Rules[i]
		near := nearRule{ruleMatch: *c.ruleDoc(c.byName[r.Name])}
		parts, telling := c.parts(r), false
		for _, part := range parts {
			if part.rules.Match(ev, c.options) == detect.NoRule {
				near.But = part.name
				continue
			}
			near.holds++
			telling = telling || part.name != "source" && part.name != "op"
		}
		switch {
		case near.holds == 0 || near.holds != len(parts)-1:
		case telling:
			best = append(best, near)
		default:
			general = append(general, near)
		}
	}
	slices.SortStableFunc(best, func(a, b nearRule) int { return cmp.Compare(b.holds, a.holds) })
	if len(general) <= maxNearly {
		best = append(best, general...)
	}
	return best[:min(len(best), maxNearly)]
}

const maxNearly = 3

// rulePart is a part of a rule as a rule of its own.
type rulePart struct {
	name  string
	rules *detect.Rules
}

func (c *classifier) parts(r *detect.Rule) []rulePart {
	var out []rulePart
	alone := func(name string, part detect.Rule, patterns []detect.Pattern) {
		rules := &detect.Rules{Taxonomy: c.rules.Taxonomy, Rules: []detect.Rule{part}, Patterns: patterns,
			Is: c.rules.Is}
		out = append(out, rulePart{name, rules})
	}
	for _, cond := range r.Conditions {
		alone(conditionName(cond), detect.Rule{Conditions: []detect.Condition{cond}}, nil)
	}
	if len(r.Text) > 0 {
		indexes, patterns := c.patterns(r.Text)
		alone("text", detect.Rule{Text: indexes}, patterns)
	}
	if len(r.Contains) > 0 {
		indexes, patterns := c.patterns(r.Contains)
		alone("contains", detect.Rule{Contains: indexes}, patterns)
	}
	return out
}

// patterns returns some of the patterns as a list of their own, and the indexes into it.
func (c *classifier) patterns(some []uint16) (indexes []uint16, patterns []detect.Pattern) {
	for i, pattern := range some {
		indexes = append(indexes, uint16(i))
		patterns = append(patterns, c.rules.Patterns[pattern])
	}
	return indexes, patterns
}

func conditionName(c detect.Condition) string {
	if c.Key == detect.Attribute {
		return "attributes." + c.Name
	}
	names := []string{
		detect.Source: "source", detect.Op: "op", detect.Status: "status", detect.Type: "type", detect.Code: "code",
		detect.ExitCode: "exit_code", detect.Signal: "signal", detect.Errno: "errno", detect.Is: "is", detect.As: "as",
	}
	return names[c.Key]
}
