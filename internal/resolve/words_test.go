package resolve

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

func meanings[T any](w words[T]) []string { return slices.Sorted(maps.Keys(w)) }

// Every word that the parser lets through has a meaning here, and no other has.
func TestWordsAreTheLanguages(t *testing.T) {
	known := map[string][]string{
		"action": meanings(actions), "extent": meanings(extents), "revert": meanings(reverts),
		"session": meanings(sessions),
		"purpose": meanings(purposes),
		"resume":  meanings(resumes), "shared": meanings(shares), "level": meanings(logLevels),
		"log_level": meanings(logLevels),
		"backoff":   meanings(backoffs), "jitter": meanings(jitters), "kind": meanings(kinds),
		"severity":       meanings(severities),
		"recoverability": meanings(recoverabilities), "grpc": meanings(grpcCodes), "keep": {"head", "tail"},
		"type": types(),
	}
	seen := map[string]bool{}
	for _, m := range spec.TheLanguage().Mappings {
		for _, k := range m.Keys {
			of := wordsOf(k.Type)
			if of == nil {
				continue
			}
			seen[k.Name] = true
			require.Contains(t, known, k.Name)
			want := slices.DeleteFunc(slices.Clone(known[k.Name]),
				func(w string) bool { return w == "CANCELED" && !slices.Contains(of, w) })
			assert.ElementsMatch(t, want, of, "%s.%s", m.Name, k.Name)
		}
	}
	assert.Len(t, seen, len(known))
}

func wordsOf(t spec.Type) []string {
	if t.Form == spec.FormWord {
		return t.Words
	}
	for _, alt := range t.Alts {
		if of := wordsOf(alt); of != nil {
			return of
		}
	}
	return nil
}

func types() []string {
	var out []string
	for typ := model.String; typ < model.EnumType; typ++ {
		out = append(out, typ.String())
	}
	return out
}

func TestGRPCCode(t *testing.T) {
	for _, tt := range []struct {
		word string
		want int
		ok   bool
	}{
		{"OK", 0, true}, {"CANCELLED", 1, true}, {"CANCELED", 1, true}, {"UNAVAILABLE", 14, true},
		{"UNAUTHENTICATED", 16, true},
		{"unavailable", 0, false}, {"", 0, false},
	} {
		n, ok := GRPCCode(tt.word)
		assert.Equal(t, tt.want, n, tt.word)
		assert.Equal(t, tt.ok, ok, tt.word)
	}
	assert.Len(t, GRPCCodes(), 18)
	for code, want := range map[int]string{0: "", 1: "CANCELLED", 16: "UNAUTHENTICATED", 17: ""} {
		assert.Equal(t, want, GRPCWord(code))
	}
}

func TestFormats(t *testing.T) {
	assert.Equal(t, []string{"count", "duration", "first_line", "quoted", "seconds"}, Formats())
	for _, name := range append(Formats(), "") {
		_, ok := Format(name)
		assert.True(t, ok, name)
	}
	_, ok := Format("upper")
	assert.False(t, ok)
}
