package retry

import (
	"github.com/errgen/errgen/runtime/internal/effect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// EffectOf returns whether a failed call did its work, for the caller that made it. An error of a
// taxonomy has the effect that its code declares, or else the one that was observed when it was
// classified. Of other errors,
//
//   - a refused connection, a failure of DNS or of the TLS handshake, the refusal of a breaker, and
//     an error of a database before anything was committed (40001, 40P01) are none;
//   - a reset, a timeout, and a connection that was cut are unknown, also during a commit;
//   - an error of [Do] has the effect of all its calls together.
func EffectOf(err error) taxonomy.Effect { return effect.Of(err) }

// Idempotent declares that a repeated call has the effect of one. Do repeats it as the policy
// permits, unless its failure declares that it was done.
func Idempotent() Option { return idempotence(taxonomy.Yes) }

// NotIdempotent declares that a repeated call can have its effect twice. Do repeats it only after a
// failure with the effect none. Without this option and [Idempotent], Do also repeats a call after
// an unknown effect.
func NotIdempotent() Option { return idempotence(taxonomy.No) }

// ForOperation sets the idempotence that the taxonomy declares for an operation.
func ForOperation(o taxonomy.Operation) Option { return idempotence(o.Idempotent) }

// ForMethod sets the idempotence of HTTP requests with a method and an idempotency key, such as the
// header Idempotency-Key. POST, PATCH and unknown methods are idempotent only with a key.
func ForMethod(method, key string) Option {
	switch method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return Idempotent()
	}
	if key != "" {
		return Idempotent()
	}
	return NotIdempotent()
}

func idempotence(t taxonomy.Tristate) Option {
	return Option{set: func(s settings) settings { s.idempotent = t; return s }}
}

// observed returns the effect of err, or of raw if err has none.
func observed(err, raw error) taxonomy.Effect {
	if e := effect.Of(err); e != taxonomy.EffectUnspecified {
		return e
	}
	return effect.Of(raw)
}

// barred returns why no call follows one with the effect, or [StoppedNot].
func (l *loop) barred() Stop {
	switch {
	case l.effect == taxonomy.EffectDone:
		return StoppedDone
	case l.idempotent == taxonomy.No && l.effect != taxonomy.EffectNone:
		return StoppedEffect
	}
	return StoppedNot
}
