package escalate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// located returns a fault with where the step begins that it is about. One that names no step of
// the plan is about the plan, and still counts.
func located(f plan.Fault, p plan.Plan) plan.Fault {
	if f.Step == "" {
		return f
	}
	i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.ID == f.Step })
	if i < 0 {
		f.Text, f.Step = "step "+backquoted(f.Step)+": "+f.Text, ""
		return f
	}
	f.Line = p.Steps[i].Line
	return f
}

// parsePlanReview reads the faults that an answer ends with. That a plan cannot be read is not a
// reviewer's to say.
func parsePlanReview(text, mark string) ([]plan.Fault, error) {
	items, err := readItems(text, mark, "faults")
	if err != nil {
		return nil, err
	}
	var all []plan.Fault
	for _, item := range items {
		var kind string
		var f plan.Fault
		err := eachKey(string(item), func(key string, value json.RawMessage) (err error) {
			switch key {
			case "kind":
				err = readText(value, &kind, maxWord)
			case "step":
				err = readText(value, &f.Step, maxWord)
			case "text":
				err = readText(value, &f.Text, maxWords)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("a fault: %w", err)
		}
		f.Kind = plan.FaultKind(kind)
		if f.Text = bounded(strings.TrimSpace(f.Text)); f.Text == "" {
			return nil, errors.New("a fault says nothing")
		}
		if !slices.ContainsFunc(faultKinds[:], func(k faultKind) bool { return k.kind == f.Kind }) {
			return nil, fmt.Errorf("a fault is of no kind that there is: %s", backquoted(kind))
		}
		all = append(all, f)
	}
	return all, nil
}
