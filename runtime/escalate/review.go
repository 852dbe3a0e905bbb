package escalate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ReviewerOptions say how a provider reviews. The zero options will do.
type ReviewerOptions struct {
	// Findings are the words for what a review of a step can find, as the taxonomy's rules for
	// source "review" have them for the type of the evidence. Another word of the reviewer is left
	// out. Empty lets it choose its own.
	Findings []string
	// Look says what to look for besides; trusted.
	Look string
	// Dir is the working tree that a plan is reviewed in. The review of a step has the step's.
	Dir string
	// Limit is how long a review may take; 0 is 10 minutes.
	Limit time.Duration
	// MaxEvidence is how many bytes of what a tier has said are shown, and how many a plan may have
	// that is reviewed; 0 is 64 KiB.
	MaxEvidence int
}

const (
	opReview    = "review"
	typeTimeout = "timeout"
)

// NewReviewer returns a reviewer that asks a provider, best one that is stronger than those that
// carry steps out. It is safe for concurrent use if the provider is. What a review costs is not
// counted. A reviewer with a nil provider is refused by [New].
//
// An error of it says that there was no review: the provider's as it is; evidence of the provider's
// source and op "call" with type "timeout" after the limit, and "no_report" when the answer does
// not end with the form that the prompt shows.
func NewReviewer(p executor.Provider, o ReviewerOptions) Reviewer { return newReviewer(p, o) }

// NewPlanReviewer returns a reviewer of plans that asks a provider. Its errors are as those of
// [NewReviewer]; a plan with more than MaxEvidence bytes is not reviewed in parts, and so is an
// error too.
func NewPlanReviewer(p executor.Provider, o ReviewerOptions) PlanReviewer {
	return newReviewer(p, o)
}

func (o ReviewerOptions) completed() ReviewerOptions {
	o.Limit = cmp.Or(o.Limit, defaultTierTime)
	o.MaxEvidence = cmp.Or(o.MaxEvidence, defaultEvidence)
	return o
}

type reviewer struct {
	provider executor.Provider
	o        ReviewerOptions
}

// reviewsAndPlans is what a reviewer can do.
type reviewsAndPlans interface {
	Reviewer
	PlanReviewer
}

// newReviewer returns a reviewer that is an [executor.Ender] when its provider is one.
func newReviewer(p executor.Provider, o ReviewerOptions) reviewsAndPlans {
	r := &reviewer{p, o.completed()}
	if e, ok := p.(executor.Ender); ok && !isNil(p) {
		return &endingReviewer{r, e}
	}
	return r
}

type endingReviewer struct {
	*reviewer
	executor.Ender
}

// Review implements [Reviewer].
func (r *reviewer) Review(ctx context.Context, in ReviewInput) ([]*taxonomy.Evidence, error) {
	mark := newMark()
	text, err := r.ask(ctx, executor.Request{Prompt: reviewPrompt(in, r.o, mark), Dir: in.Dir, Started: in.Started})
	if err != nil {
		return nil, fmt.Errorf("review step %s: %w", in.Step.ID, err)
	}
	all, err := parseReview(text, mark)
	if err != nil {
		return nil, fmt.Errorf("review step %s: %w", in.Step.ID, r.unreadable(text, err))
	}
	var found []*taxonomy.Evidence
	for _, f := range all {
		found = append(found, f.evidence(in, r.o.Findings))
	}
	return found, nil
}

// ReviewPlan implements [PlanReviewer].
func (r *reviewer) ReviewPlan(ctx context.Context, in PlanReviewInput) ([]plan.Fault, error) {
	mark := newMark()
	prompt, err := planReviewPrompt(in, r.o, mark)
	if err != nil {
		return nil, fmt.Errorf("review the plan: %w", err)
	}
	text, err := r.ask(ctx, executor.Request{Prompt: prompt, Dir: r.o.Dir, Started: in.Started})
	if err != nil {
		return nil, fmt.Errorf("review the plan: %w", err)
	}
	faults, err := parsePlanReview(text, mark)
	if err != nil {
		return nil, fmt.Errorf("review the plan: %w", r.unreadable(text, err))
	}
	for i := range faults {
		faults[i] = located(faults[i], in.Plan)
	}
	return faults, nil
}

// usable returns what is wrong with the reviewer, or nil.
func (r *reviewer) usable() error {
	if isNil(r.provider) {
		return errNoReviewer
	}
	return nil
}

var errNoReviewer = errors.New("the reviewer has no provider")

// name is the source of the reviewer's own failures. None of them may look like a finding of a
// review, whatever the provider's name is.
func (r *reviewer) name() string {
	if name := r.provider.Name(); name != sourceReview {
		return name
	}
	return "reviewer"
}

// ask calls the provider once.
func (r *reviewer) ask(ctx context.Context, req executor.Request) (string, error) {
	if err := r.usable(); err != nil {
		return "", err
	}
	timed, cancel := context.WithTimeout(ctx, r.o.Limit)
	defer cancel()
	req.Iteration, req.Limit = 1, r.o.Limit
	answer, err := r.provider.Call(timed, req)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil && timed.Err() != nil:
		return "",
			&taxonomy.Evidence{Source: r.name(), Op: opCall, Type: typeTimeout,
				Text: "no review within " + r.o.Limit.String(), Err: err}
	case err != nil:
		return "", r.own(err)
	case answer.Failure != "":
		return "", &taxonomy.Evidence{Source: r.name(), Op: opCall, Text: answer.Failure}
	}
	return answer.Text, nil
}

// own returns an error of the provider with whose it is: no failure of a reviewer is a finding of a
// review.
func (r *reviewer) own(err error) error {
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Source != sourceReview {
		return err
	}
	if _, ok := taxonomy.First(err, nil); ok {
		return err
	}
	return &taxonomy.Evidence{Source: r.name(), Op: opCall, Err: err}
}

// unreadable is the error of an answer that is no review. It is the reviewer's failure, and no
// finding about the step.
func (r *reviewer) unreadable(s string, err error) error {
	return &taxonomy.Evidence{Source: r.name(), Op: opCall, Type: typeNoReport, Text: err.Error(),
		Output: text.BothEnds(s, maxMessage), Err: err}
}

// reviewed is a finding of a reviewer.
type reviewed struct {
	finding, text string
	context       map[string]string
	files         []string
}

func (f reviewed) evidence(in ReviewInput, words []string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: sourceReview, Op: opReview, Type: f.finding, Text: f.text, Files: f.files,
		Attributes: f.context}
	if len(words) > 0 && !slices.Contains(words, f.finding) {
		ev.Type = ""
	}
	if ev.Text == "" {
		ev.Text = f.finding
	}
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	ev.Attributes["step"], ev.Attributes["tier"] = in.Step.ID, in.Tier
	return ev
}

// parseReview reads the findings that an answer ends with. A review that says nothing of findings
// is none.
func parseReview(text, mark string) ([]reviewed, error) {
	items, err := readItems(text, mark, "findings")
	if err != nil {
		return nil, err
	}
	var all []reviewed
	for _, item := range items {
		var f reviewed
		err := eachKey(string(item), func(key string, value json.RawMessage) (err error) {
			switch key {
			case "finding":
				err = readText(value, &f.finding, maxWord)
			case "text":
				err = readText(value, &f.text, maxWords)
			case "context":
				f.context, err = readContext(value)
			case "files":
				f.files, err = readFiles(value)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("a finding: %w", err)
		}
		if strings.TrimSpace(f.finding+f.text) == "" {
			return nil, errors.New("a finding says nothing")
		}
		all = append(all, f)
	}
	return all, nil
}

// readItems reads the list under a key of the block that an answer ends with; it has to be there.
func readItems(text, mark, name string) ([]json.RawMessage, error) {
	_, block, err := lastBlock(text)
	if err != nil {
		return nil, err
	}
	var said string
	var items []json.RawMessage
	err = eachKey(block, func(key string, value json.RawMessage) error {
		switch key {
		case "mark":
			return readText(value, &said, maxWord)
		case name:
			if json.Unmarshal(value, &items) != nil {
				return errors.New("it is no list")
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case said != mark:
		return nil, errWrongMark
	case items == nil:
		return nil, fmt.Errorf("there is no list of %s", name)
	case len(items) > maxListed:
		return nil, fmt.Errorf("there are more than %d %s", maxListed, name)
	}
	return items, nil
}
