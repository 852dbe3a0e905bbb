package contract_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// rules are what an implementation is given to decide with: a table, how failures get their codes,
// and how an error is read back.
type rules struct {
	table    taxonomy.Table
	classify func(err error, source, op string) (error, string)
	decode   func(b []byte) (error, error)
}

// shipped are the rules of the taxonomy in this repository.
func shipped() rules {
	return rules{errs.Table, detect.Classifier(errs.Explain),
		func(b []byte) (error, error) { return errs.UnmarshalError(b) }}
}

// coded is an error of a story's own taxonomy. Its text is the name of its code, in brackets.
type coded struct {
	t     *taxonomy.Taxonomy
	row   taxonomy.Row
	hints taxonomy.Hints
	cause error
}

func (c *coded) Error() string                   { return "[" + c.t.Code(c.row).Value + "]" }
func (c *coded) Unwrap() error                   { return c.cause }
func (c *coded) Taxonomy() *taxonomy.Taxonomy    { return c.t }
func (c *coded) Row() taxonomy.Row               { return c.row }
func (c *coded) Hints() taxonomy.Hints           { return c.hints }
func (c *coded) AppendMessage(dst []byte) []byte { return append(dst, c.Error()...) }
func (c *coded) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (c *coded) AppendJSON(dst []byte) []byte {
	b, _ := json.Marshal(c.row) // a number can always be encoded
	return append(dst, b...)
}

// rulesOf makes the rules of a taxonomy whose codes are the names of reactions. A failure has the
// code that its type names, or else its operation.
func rulesOf(reactions map[string]taxonomy.Reaction) rules {
	category := &taxonomy.Category{Name: "story", Codes: make([]taxonomy.Code, 1)}
	t := &taxonomy.Taxonomy{
		Package: "story", Domain: "story", Categories: []*taxonomy.Category{category},
		Tiers:         []taxonomy.Tier{{Name: "high"}},
		Uncategorized: &taxonomy.Reaction{Name: "uncategorized", Action: taxonomy.Retry, CountFailure: true},
	}
	rows := map[string]taxonomy.Row{}
	for i, name := range slices.Sorted(maps.Keys(reactions)) {
		r := reactions[name]
		r.Name, rows[name] = name, taxonomy.At(0, uint16(i+1))
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: name, Traits: taxonomy.Traits{Reaction: &r, Retryable: true},
		})
	}
	//lint:ignore ST1008 an executor's classifier returns the error first
	classify := func(err error, source, op string) (error, string) {
		ev, ok := errors.AsType[*taxonomy.Evidence](err)
		if !ok {
			ev = &taxonomy.Evidence{Source: source, Op: op}
		}
		for _, name := range []string{ev.Type, ev.Op} {
			if row, ok := rows[name]; ok {
				hints := taxonomy.Hints{Files: ev.Files, RetryAfter: ev.RetryAfter, Credential: ev.Credential}
				return &coded{t, row, hints, err}, "rule " + name
			}
		}
		return err, "no rule"
	}
	decode := func(b []byte) (error, error) {
		c := &coded{t: t}
		return c, json.Unmarshal(b, &c.row)
	}
	return rules{taxonomy.Table{Taxonomy: t}, classify, decode}
}

func policy(calls int) *taxonomy.Policy {
	return &taxonomy.Policy{Name: "p", MaxAttempts: calls, InitialDelay: time.Second, Backoff: taxonomy.Constant,
		JitterKind: taxonomy.JitterNone}
}

// reactions is the table of the stories that have one of their own. The types of failures name its
// entries.
var reactions = func() map[string]taxonomy.Reaction {
	stop := &taxonomy.Reaction{Name: "stop", Action: taxonomy.Abort}
	const (
		retry, inPlace     = taxonomy.Retry, taxonomy.RetryOperation
		files, everything  = taxonomy.RevertFiles, taxonomy.RevertIteration
		recovers, escalate = taxonomy.Recover, taxonomy.Escalate
	)
	return map[string]taxonomy.Reaction{
		"interrupted": {Action: retry, Agent: taxonomy.AgentReaction{Revert: everything}},
		"crash":       {Action: retry, CountFailure: true, Agent: taxonomy.AgentReaction{FeedBack: true}},
		"limit": {Action: retry, Policy: policy(9), HonorRetryAfter: true, Shared: taxonomy.SharedCredential,
			Then: &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}},
		"again": {Action: inPlace, Policy: policy(3), Then: stop},
		"undo_again": {Action: inPlace, Policy: policy(3),
			Agent: taxonomy.AgentReaction{Revert: everything}, Then: stop},
		"forbidden": {Action: retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{Revert: files, FeedBack: true, AcceptCompletion: true}},
		"outside_allowed": {Action: retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{Revert: everything, FeedBack: true}},
		"denied":     {Action: taxonomy.Abort, Agent: taxonomy.AgentReaction{Revert: files}},
		"unattended": {Action: taxonomy.Block, Agent: taxonomy.AgentReaction{Revert: files}},
		"exit":       {Action: retry, CountFailure: true, Agent: taxonomy.AgentReaction{FeedBack: true}},
		"exit_undo": {Action: retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{FeedBack: true, Revert: everything}},
		"git": {Action: inPlace, Policy: policy(2),
			Then: &taxonomy.Reaction{Name: "continue", Action: taxonomy.Continue}},
		"up":  {Action: escalate, CountFailure: true},
		"fix": {Action: recovers, Strategy: "s", Policy: policy(4), Then: stop},
		"fix_here": {Action: recovers, Strategy: "s", Policy: policy(4),
			Agent: taxonomy.AgentReaction{Resume: taxonomy.ResumeOperation}, Then: stop},
		"fatal":  {Action: taxonomy.Abort, Agent: taxonomy.AgentReaction{Extent: taxonomy.ExtentRun}},
		"budget": {Action: taxonomy.Block},
		"fresh": {Action: inPlace, Policy: policy(3),
			Agent: taxonomy.AgentReaction{Session: taxonomy.SessionFresh}, Then: stop},
	}
}()

// keeping is [reactions], but what an interrupted call has written stays.
var keeping = func() map[string]taxonomy.Reaction {
	all := maps.Clone(reactions)
	all["interrupted"] = taxonomy.Reaction{Action: taxonomy.Retry}
	return all
}()
