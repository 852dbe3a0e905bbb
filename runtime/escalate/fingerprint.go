package escalate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fingerprint returns the SHA-256 of what v marshals to, as hexadecimal digits.
func fingerprint(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// planFingerprint tells plans apart that demand something else.
func planFingerprint(p plan.Plan) string {
	parts := []string{fingerprint(stripped(p.Prerequisites)), fingerprint(p.Gate)}
	for _, s := range p.Steps {
		parts = append(parts, stepFingerprint(s))
	}
	return fingerprint(parts)
}

// stepFingerprint tells steps apart that demand something else. Where a step stands, and what its
// title and comments say, is for people.
func stepFingerprint(s plan.Step) string {
	s.Title, s.Line = "", 0
	s.Prerequisites = stripped(s.Prerequisites)
	criteria := make([]plan.Criterion, len(s.Criteria))
	for i, c := range s.Criteria {
		c.Line = 0
		criteria[i] = c
	}
	s.Criteria = criteria
	return fingerprint(s)
}

// planParts returns short fingerprints of what a plan demands, so that it can be said which of it
// has changed: by step those of its instructions, criteria and prerequisites, and under "" those of
// the plan's gate and prerequisites.
func planParts(p plan.Plan) map[string]string {
	parts := map[string]string{"": short(p.Gate) + " " + short(stripped(p.Prerequisites))}
	for _, s := range p.Steps {
		bare := plan.Step{ID: s.ID, Criteria: s.Criteria}
		parts[s.ID] = short(s.Instructions) + " " + beginningOfPrint(stepFingerprint(bare)) + " " +
			short(stripped(s.Prerequisites))
	}
	return parts
}

// shortPrint is the length of a short fingerprint.
const shortPrint = 12

func short(v any) string { return beginningOfPrint(fingerprint(v)) }

func beginningOfPrint(print string) string { return print[:min(len(print), shortPrint)] }

// differences says what a plan demands otherwise than one whose parts are known.
func differences(before map[string]string, p plan.Plan) []string {
	now := planParts(p)
	all := changedParts("its", before[""], now[""], "gate", "prerequisites")
	for _, s := range p.Steps {
		switch was, known := before[s.ID]; {
		case !known:
			all = append(all, "step "+s.ID+" is new")
		default:
			all = append(
				all, changedParts("step "+s.ID+":", was, now[s.ID], "instructions", "criteria", "prerequisites")...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if _, there := now[id]; !there {
			all = append(all, "step "+id+" is gone")
		}
	}
	if len(all) == 0 {
		return []string{"the order of its steps"}
	}
	return all
}

func changedParts(whose, before, now string, names ...string) []string {
	var all []string
	was, is := strings.Fields(before), strings.Fields(now)
	for i, name := range names {
		if i < len(was) && i < len(is) && was[i] != is[i] {
			all = append(all, whose+" "+name)
		}
	}
	return all
}

// stripped returns prerequisites without what is for people.
func stripped(all []plan.Prerequisite) []plan.Prerequisite {
	out := make([]plan.Prerequisite, len(all))
	for i, p := range all {
		p.Doc, p.Line = "", 0
		out[i] = p
	}
	return out
}

// tableFingerprint tells taxonomies apart whose tiers or reactions differ.
func tableFingerprint(t taxonomy.Table) string {
	if t.Taxonomy == nil {
		return ""
	}
	parts := []string{t.Taxonomy.Package, t.Taxonomy.Domain}
	if t.Overlay != nil {
		parts = append(parts, t.Overlay.Name)
	}
	for _, tier := range t.Taxonomy.Tiers {
		tier.Doc = ""
		parts = append(parts, fmt.Sprintf("%+v", tier))
	}
	for row := range t.Taxonomy.Rows() {
		traits := t.Row(row)
		parts = append(parts, strconv.Itoa(int(row)), strconv.FormatBool(traits.Retryable),
			reactionText(t.Overlay, traits.Reaction))
	}
	for _, code := range t.Taxonomy.Codes() {
		parts = append(parts, code.Value)
	}
	return fingerprint(parts)
}

// reactionText returns a reaction and what follows it as a text.
func reactionText(p *taxonomy.Profile, r *taxonomy.Reaction) string {
	text := ""
	for _, r := range p.Chain(r) {
		alone := *r
		alone.Policy, alone.Then = nil, nil
		text += fmt.Sprintf("%+v", alone)
		if policy := r.Policy; policy != nil {
			bounds := *policy
			bounds.Adapt, bounds.Budget = nil, nil
			text += fmt.Sprintf("%+v", bounds)
		}
	}
	return text
}
