package executor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Limits of stored texts, in bytes.
const (
	maxMessage = 4 << 10
	maxAnswer  = 16 << 10
	maxDetails = 64 << 10
	maxOthers  = 50
)

// ownError reports whether err contains an error of the taxonomy.
func (h *host) ownError(err error) bool {
	if err == nil {
		return false
	}
	_, ok := taxonomy.First(err, h.cfg.Table.Taxonomy)
	return ok
}

// Fail classifies the error of an operation and returns it as data, with its chain of reactions.
// Each of several joined errors is classified. The first one whose reaction aborts or blocks is
// returned, with the others in Others.
func (h *host) Fail(err error, source, op string) loop.Failure {
	parts := split(err, 0)
	if len(parts) == 1 {
		return h.fail(err, source, op)
	}
	all, effect := make([]loop.Failure, 0, len(parts)), taxonomy.EffectNone
	for _, part := range parts[:min(len(parts), maxOthers)] {
		f := h.fail(part, source, op)
		all, effect = append(all, f), effect.And(f.Effect)
	}
	lead := max(0, slices.IndexFunc(all, func(f loop.Failure) bool {
		return len(f.Chain) > 0 && (f.Chain[0].Action == taxonomy.Abort || f.Chain[0].Action == taxonomy.Block)
	}))
	f := all[lead]
	f.Effect = effect
	f.Others = slices.Delete(all, lead, lead+1)
	return f
}

// split returns the parts of an error of errors.Join or similar. Any other error is its only part,
// also one of a taxonomy and one with the effect of its call, because its parts are the same call.
func split(err error, depth int) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && depth < 4 {
		_, coded := err.(taxonomy.Coded)
		if _, isCall := err.(taxonomy.Effector); !coded && !isCall {
			var parts []error
			for _, part := range joined.Unwrap() {
				if part != nil {
					parts = append(parts, split(part, depth+1)...)
				}
			}
			if len(parts) > 0 {
				return parts
			}
		}
	}
	return []error{err}
}

// fail is Fail for an error that is not joined.
func (h *host) fail(err error, source, op string) (f loop.Failure) {
	f.Op, f.Source, f.Why = op, source, "an error of the taxonomy"
	if ev, ok := errtree.As[*taxonomy.Evidence](err); ok && ev != nil {
		f.Evidence, f.Fingerprint = ev, ev.Fingerprint()
		f.Report = text.Tail(cmp.Or(ev.Text, ev.Output), maxAnswer)
	}
	classified := err
	var plain loop.PlainFailure
	if !errors.As(err, &plain) && !h.ownError(err) {
		thrown := contain(source, op, func() error {
			classified, f.Why = h.cfg.Classify(err, source, op)
			return nil
		})
		if thrown != nil || classified == nil {
			classified, f.Why = err, fmt.Sprintf("the classifier failed: %v", thrown)
		}
	} else if plain != "" {
		f.Why = "a failure without evidence"
	}
	f.Err = classified
	if f.Effect = retry.EffectOf(classified); f.Effect == taxonomy.EffectUnspecified {
		f.Effect = retry.EffectOf(err)
	}
	f.Message, f.Why = text.Error(classified, maxMessage), text.Beginning(f.Why, maxMessage)
	f.Feedback = f.Message
	own, ok := taxonomy.First(classified, h.cfg.Table.Taxonomy)
	if ok {
		f.Categorized = true
		f.Code, f.Category = taxonomy.CodeOf(own), taxonomy.CategoryOf(own)
		f.Feedback = text.BothEnds(taxonomy.FeedbackOf(own), maxAnswer)
		h.context(&f, own, classified)
	}
	if f.Evidence != nil && strings.HasPrefix(op, loop.OpValidate) {
		f.Feedback = withOutput(f.Feedback, f.Evidence.Output)
	}
	reaction := h.cfg.Table.Reaction(classified)
	f.Chain = h.chain(&reaction, &f)
	return f
}

// withOutput adds the output of a failed check to a feedback that does not have its last line,
// because a taxonomy need not have a field for the output.
func withOutput(feedback, output string) string {
	output = strings.TrimSpace(text.Tail(output, maxAnswer))
	last := strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:])
	if strings.Contains(feedback, last) {
		return feedback
	}
	return text.BothEnds(feedback+"\n\n"+output, maxAnswer)
}

// context copies the fields of a categorized error that the loop needs.
func (h *host) context(f *loop.Failure, own taxonomy.Coded, classified error) {
	hints := taxonomy.HintsOf(classified)
	f.RetryAfter, f.ResetAt, f.Credential, f.Files = hints.RetryAfter, hints.ResetAt, hints.Credential, hints.Files
	if f.Evidence != nil && len(f.Files) == 0 {
		f.Files = f.Evidence.Files
	}
	f.Files = slices.Clone(f.Files)
	if e, ok := own.(taxonomy.Error); ok {
		f.Details, f.Wire = maskedDetails(e.AppendContext(nil)), e.AppendJSON(nil)
		if len(f.Wire) > maxDetails {
			f.Wire = nil
		}
	}
}

// chain returns a reaction and its successors under the table's profile, as data.
func (h *host) chain(r *taxonomy.Reaction, f *loop.Failure) []taxonomy.Reaction {
	profile := h.cfg.Table.Overlay
	var chain []taxonomy.Reaction
	for _, r := range profile.Chain(r) {
		step := *r
		step.Then, step.Policy = nil, profile.PolicyOf(r)
		if a := h.cfg.Admission.Adaptive; a != nil && step.Policy != nil && f.Categorized {
			adapted := a.Policy(step.Policy, f.Code)
			step.Policy = &adapted
		}
		chain = append(chain, step)
	}
	return chain
}

// errorOf returns the failure as an error of the taxonomy. If the failure occurred in another
// process, its JSON is decoded.
func (h *host) errorOf(f *loop.Failure) error {
	if f.Err == nil {
		if err := h.decode(f.Wire); err != nil {
			return err
		}
	}
	return f.Cause()
}

func (h *host) decode(wire []byte) error {
	if h.cfg.Decode == nil || len(wire) == 0 {
		return nil
	}
	err, failed := h.cfg.Decode(wire)
	if failed != nil {
		return nil
	}
	return err
}

// maskedDetails returns b with secrets masked: texts that look like a secret, and values whose key
// names a secret. If b is not valid JSON or too long, it returns nil.
func maskedDetails(b []byte) json.RawMessage {
	if len(b) > maxDetails || !json.Valid(b) {
		return nil
	}
	if s := string(b); taxonomy.Redact(s) == s && !strings.Contains(s, `\`) {
		return b
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	out, _ := json.Marshal(maskedValue("", v)) // it was JSON
	return out
}

func maskedValue(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = maskedValue(k, member)
		}
	case []any:
		for i, member := range v {
			v[i] = maskedValue(key, member)
		}
	case string:
		if v != "" && taxonomy.IsSecretName(key) {
			return taxonomy.Redacted
		}
		return taxonomy.Redact(v)
	case json.Number:
		if taxonomy.IsSecretName(key) {
			return 0
		}
	}
	return v
}
