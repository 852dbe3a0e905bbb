package gen

import "github.com/errgen/errgen/runtime/taxonomy"

// effectWords are the words of declared effects on the wire.
var effectWords = [...]string{
	taxonomy.EffectNone: "none", taxonomy.EffectUnknown: "unknown", taxonomy.EffectDone: "done",
}

// appendEffect appends the member effect, with the comma before it, if the effect is declared.
func appendEffect(dst []byte, e taxonomy.Effect) []byte {
	if e == taxonomy.EffectUnspecified || int(e) >= len(effectWords) {
		return dst
	}
	return append(append(append(dst, `,"effect":"`...), effectWords[e]...), '"')
}

// declaredEffect is [taxonomy.DeclaredEffect] for an error with known traits.
func declaredEffect(e taxonomy.Error, traits *taxonomy.Traits) taxonomy.Effect {
	if x, ok := e.(taxonomy.Effector); ok {
		if effect, sent := x.CallEffect(); sent {
			return effect
		}
	}
	return traits.Effect
}

// EffectOfWord returns the effect with a word of the wire. A word that is not known, which a newer
// sender can use, is unspecified.
func EffectOfWord(word string) (e taxonomy.Effect) {
	for i, w := range effectWords {
		if w == word && w != "" {
			e = taxonomy.Effect(i)
		}
	}
	return e
}

// CallEffect returns the effect of the failed call. If the error was received and its sender
// declared another effect than this program's taxonomy, sent is true.
func (b *Base[C]) CallEffect() (effect taxonomy.Effect, sent bool) { return b.effect, b.hasSent }

func (b *Base[C]) setEffect(effect taxonomy.Effect, sent bool) { b.effect, b.hasSent = effect, sent }

// effectSetter is implemented by all generated errors.
type effectSetter interface {
	setEffect(effect taxonomy.Effect, sent bool)
}

// Observe sets the effect that the program observed when it classified e. The effect that the code
// of e declares wins over it.
func Observe(e taxonomy.Error, effect taxonomy.Effect) {
	if s, ok := e.(effectSetter); ok && effect != taxonomy.EffectUnspecified {
		s.setEffect(effect, false)
	}
}

// keepEffect gives an error the effect that its sender declared. If the sender declared no effect,
// the one that this taxonomy declares does not apply, because the sender may be older.
func (w *envelope) keepEffect(e taxonomy.Error) {
	if sent := EffectOfWord(w.Effect); sent != e.Taxonomy().Traits(e.Row()).Effect {
		if s, ok := e.(effectSetter); ok {
			s.setEffect(sent, true)
		}
	}
}
