package taxonomy

import (
	"slices"
	"strings"
)

// The actions that take a key of a reaction.
var (
	waiting = []Action{Retry, RetryOperation, Recover}
	leading = []Action{Retry, RetryOperation, Escalate, Recover}
)

// check notes what cannot be in a reaction r that top was laid over.
func (v *overlay) check(r *Reaction, top *ReactionOverride, at string) {
	v.takes(r, top, at)
	switch {
	case r.Action == Recover && r.Strategy == "":
		v.problem(at, "recover needs a strategy")
	case r.Action == Escalate && len(v.table.Taxonomy.Tiers) == 0:
		v.problem(at, "there is nobody to escalate to: the taxonomy has no tiers")
	case slices.Contains(waiting, r.Action) && !r.CountFailure && r.Policy == nil:
		v.problem(at, "nothing bounds this: it does not count as a failure and has no policy")
	}
	if asksFirst(r) {
		v.checkAsked(r, at)
	}
	if r.AcceptCompletion && r.Revert == RevertNone {
		v.problem(at, "accept_completion needs revert: it accepts what is left after one")
	}
	if top.Log != nil && r.LogLevel == LogNone {
		v.problem(at, "log needs a level")
	}
	if t := v.table.Taxonomy; top.Strategy != "" && !hasName(t.Strategies, top.Strategy) {
		v.unknown(at+".strategy", "strategy", top.Strategy, names(t.Strategies))
	}
	if tiers := v.tierNames(); top.To != "" && !slices.Contains(tiers, top.To) {
		v.unknown(at+".to", "tier", top.To, tiers)
	}
}

// checkAsked notes what keeps a retry from asking a tier first.
func (v *overlay) checkAsked(r *Reaction, at string) {
	tiers := v.table.Taxonomy.Tiers
	switch {
	case len(tiers) == 0:
		v.problem(at, "there is nobody to ask: the taxonomy has no tiers")
	case r.To == "":
		v.problem(at, "%s with a purpose needs to: the tier that is asked", r.Action)
	case slices.ContainsFunc(tiers, func(t Tier) bool { return t.Name == r.To && t.Person }):
		v.problem(at, "%s with a purpose asks a tier that is no person, and %q is one", r.Action, r.To)
	}
}

// takes notes keys that the action does not take.
func (v *overlay) takes(r *Reaction, top *ReactionOverride, at string) {
	asking := []Action{Escalate}
	if asksFirst(r) {
		asking = append(asking, r.Action)
	}
	for _, k := range [...]struct {
		key     string
		set     bool
		actions []Action
	}{
		{"policy", top.Policy != nil, waiting},
		{"honor_retry_after", top.HonorRetryAfter != nil, waiting},
		{"shared", top.Shared != "", waiting},
		{"then", top.Then != nil, leading},
		{"session", top.Session != "", leading},
		{"extent", top.Extent != "", []Action{Abort, Block}},
		{"strategy", top.Strategy != "", []Action{Recover}},
		{"resume", top.Resume != "", []Action{Recover}},
		{"to", top.To != "", asking},
		{"purpose", top.Purpose != "", []Action{Retry, RetryOperation, Escalate}},
		{"feed_back", top.FeedBack != nil, append([]Action{Block, Continue}, leading...)},
	} {
		if k.set && !slices.Contains(k.actions, r.Action) {
			v.problem(at, "%s does not take %s", r.Action, k.key)
		}
	}
}

// checkTraits notes what cannot be in the override of a code.
func (v *overlay) checkTraits(at, key string) {
	top := v.over.Codes[key]
	parsed(v, at+".severity", severityWords[:], top.Severity, SeverityNone)
	parsed(v, at+".kind", kindWords[:], top.Kind, KindNone)
	v.grpc(at+".grpc", top.GRPC, 0)
	if n := top.HTTP; n != nil && (*n < 100 || *n > 599) {
		v.problem(at+".http", "%d is no HTTP status: they go from 100 to 599", *n)
	}
	r := parsed(v, at+".recoverability", recoverabilityWords[:], top.Recoverability, Unknowable)
	if f := top.Retryable; f != nil && top.Recoverability != "" && (*f && r == Permanent || !*f && r == Retryable) {
		v.problem(at, "retryable is %t, and recoverability is %s", *f, r)
	}
	ref := top.Reaction
	if ref == nil {
		return
	}
	if ref.Retryable == "" && ref.Permanent == "" {
		v.follow(ref, key, at+".reaction")
		return
	}
	if ref.Inline != nil {
		v.problem(at+".reaction", "either chooses by retryable and permanent, or stands in place")
	}
	for _, name := range [...]string{ref.Retryable, ref.Permanent} {
		if name != "" {
			v.follow(&ReactionRef{Name: name}, key, at+".reaction")
		}
	}
}

// parsed returns what a word means, or def when there is none. A word that means nothing is noted,
// unless at is empty, because it was before. The first of words that begin with none is no word of
// the language.
func parsed[T ~uint8](v *overlay, at string, words []string, word string, def T) T {
	if word == "" {
		return def
	}
	from := 0
	if words[0] == "none" {
		from = 1
	}
	if i := slices.Index(words[from:], word); i >= 0 {
		return T(from + i)
	}
	if at != "" {
		v.problem(at, "%q is none of %s", word, strings.Join(words[from:], ", "))
	}
	return def
}

// The words of google.rpc.Code, by number.
var grpcWords = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

func (v *overlay) grpc(at, word string, def uint8) uint8 {
	return parsed(v, at, grpcWords[:], word, def)
}

func names(list []Named) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Name
	}
	return out
}

func hasName(list []Named, name string) bool {
	return slices.ContainsFunc(list, func(n Named) bool { return n.Name == name })
}

func (v *overlay) tierNames() []string {
	var out []string
	for i := range v.table.Taxonomy.Tiers {
		out = append(out, v.table.Taxonomy.Tiers[i].Name)
	}
	return out
}

func (t *Taxonomy) hasCategory(name string) bool {
	return slices.ContainsFunc(t.Categories, func(c Category) bool { return c.Name == name })
}

func (t *Taxonomy) codesAndCategories() []string {
	var out []string
	for i := range t.Categories {
		out = append(out, t.Categories[i].Name)
	}
	for i := range t.Codes {
		out = append(out, t.Codes[i].Value)
	}
	return out
}
