package resolve

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// mergeTraits lays top over base, trait by trait.
func mergeTraits(base, top spec.Traits) spec.Traits {
	lay(&base.Kind, top.Kind)
	lay(&base.Severity, top.Severity)
	lay(&base.Retryable, top.Retryable)
	lay(&base.Recoverability, top.Recoverability)
	lay(&base.HTTP, top.HTTP)
	lay(&base.GRPC, top.GRPC)
	if top.Reaction != nil {
		base.Reaction = top.Reaction
	}
	return base
}

// plainTraits resolves everything but the reaction.
func plainTraits(t spec.Traits) model.Traits {
	return model.Traits{
		Retryable:      t.Retryable.V,
		Recoverability: recoverability(t),
		Severity:       severities.of(t.Severity),
		Kind:           kinds.of(t.Kind),
		HTTP:           httpStatus(t.HTTP),
		GRPC:           grpcCodes.of(t.GRPC),
	}
}

func recoverability(t spec.Traits) taxonomy.Recoverability {
	if r, ok := recoverabilities[t.Recoverability.V]; ok {
		return r
	}
	if t.Retryable.V {
		return taxonomy.Retryable
	}
	return taxonomy.Permanent
}

// httpStatus is 0 for what is no status, so that the value fits its place in the table.
func httpStatus(n spec.Int) int {
	if n.V < 100 || n.V > 999 {
		return 0
	}
	return n.V
}

// tableTraits resolves a row of the table.
func (b *builder) tableTraits(t spec.Traits) model.Traits {
	out := plainTraits(t)
	out.Reaction = b.table.head(choose(t.Reaction, out.Retryable), false)
	return out
}

// choose picks the reference that the flag selects; nothing said means abort.
func choose(ref *spec.ReactionRef, retryable bool) *spec.ReactionRef {
	picked := pick(ref, retryable)
	if picked == nil {
		return &spec.ReactionRef{Name: text("abort")}
	}
	return picked
}

// pick returns nil when ref says nothing for that flag.
func pick(ref *spec.ReactionRef, retryable bool) *spec.ReactionRef {
	if ref == nil || ref.ByFlag == nil {
		return ref
	}
	name := ref.ByFlag.Permanent
	if retryable {
		name = ref.ByFlag.Retryable
	}
	if !name.Set {
		return nil
	}
	return &spec.ReactionRef{Name: name, Span: ref.Span}
}
