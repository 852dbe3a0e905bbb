package taxonomy

import (
	"errors"

	"github.com/errgen/errgen/runtime/internal/errtree"
)

// Effect is what a failure means for the caller: whether the call did what it was made for. It
// decides whether the call can be repeated.
type Effect uint8

// The effects. The zero Effect is unspecified.
const (
	EffectUnspecified Effect = iota
	EffectNone               // nothing happened
	EffectUnknown            // perhaps it happened
	EffectDone               // it happened
)

// AlreadyDone is the target for errors.Is that the error of retry.Do matches if a call failed with
// [EffectDone]: the call did what it was made for, now or in an earlier attempt.
//
//lint:ignore ST1012 it is a state that errors are in, not an error that is returned
var AlreadyDone = errors.New("already done")

// ranks order the effects of several calls. An unspecified effect ranks above none, because the call
// may have had an effect.
var ranks = [...]uint8{EffectNone: 0, EffectUnspecified: 1, EffectUnknown: 2, EffectDone: 3}

// And returns the effect of two calls together. Done is stronger than unknown, unknown is stronger
// than unspecified, and that is stronger than none.
func (e Effect) And(other Effect) Effect {
	if int(e) < len(ranks) && int(other) < len(ranks) && ranks[e] >= ranks[other] {
		return e
	}
	return other
}

// Effector is an error with the effect of its call. If sent is true, the effect is what the sender
// of the error declared. Otherwise it is what this program observed.
type Effector interface {
	error
	CallEffect() (effect Effect, sent bool)
}

// EffectOf returns the effect of a failed call for its caller. An error of a taxonomy has the effect
// that its code declares, or else the effect that was observed when the error was classified. Its
// cause does not count, because it is the failure of another call. A *[Evidence] has its Effect.
// Several errors, as of [errors.Join], are several calls; see [Effect.And].
//
// observe returns the effect of any other error. It may be nil. The function retry.EffectOf has one
// for the errors of the standard library and of databases.
func EffectOf(err error, observe func(error) Effect) Effect {
	left := maxErrors
	return effectOf(err, observe, maxDepth, &left)
}

func effectOf(err error, observe func(error) Effect, depth int, left *int) Effect {
	for ; err != nil && depth > 0 && *left > 0; depth-- {
		*left--
		switch x := err.(type) {
		case Coded:
			return callEffect(x)
		case *Evidence:
			if x != nil && x.Effect != EffectUnspecified {
				return x.Effect
			}
		case Effector:
			effect, _ := x.CallEffect()
			return effect
		}
		if observe != nil {
			if effect := observe(err); effect != EffectUnspecified {
				return effect
			}
		}
		branches, below := errtree.Below(err)
		if below == nil {
			return joinedEffect(branches, observe, depth-1, left)
		}
		err = below
	}
	return EffectUnspecified
}

func joinedEffect(branches []error, observe func(error) Effect, depth int, left *int) Effect {
	if len(branches) == 0 {
		return EffectUnspecified
	}
	effect := EffectNone
	for _, b := range branches {
		effect = effect.And(effectOf(b, observe, depth, left))
	}
	return effect
}

// callEffect returns the effect of an error of a taxonomy: the declared one, otherwise the observed
// one.
func callEffect(c Coded) Effect {
	observed := EffectUnspecified
	if x, ok := c.(Effector); ok {
		effect, sent := x.CallEffect()
		if sent {
			return effect
		}
		observed = effect
	}
	if declared := c.Taxonomy().Traits(c.Row()).Effect; declared != EffectUnspecified {
		return declared
	}
	return observed
}

// DeclaredEffect returns the effect that the JSON of an error contains. The error's code declares it,
// or its sender did if this program received the error. An observed effect is not part of the JSON.
func DeclaredEffect(c Coded) Effect {
	if x, ok := c.(Effector); ok {
		if effect, sent := x.CallEffect(); sent {
			return effect
		}
	}
	return c.Taxonomy().Traits(c.Row()).Effect
}
