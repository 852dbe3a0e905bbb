package check

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// overlaySkipped warns where a profile would make retried what is not retryable: the model leaves
// that out.
func overlaySkipped(p *pass) {
	for i, profile := range p.m.Profiles {
		skipped := make(map[model.Skip][]string) // by section and key
		for _, s := range profile.Skipped {
			key := model.Skip{Section: s.Section, Key: s.Key}
			if s.Row.Code != nil && !slices.Contains(skipped[key], s.Row.Code.Key) {
				skipped[key] = append(skipped[key], s.Row.Code.Key)
			}
		}
		for key, codes := range skipped {
			at := overlaySpan(&p.t.Profiles[i], key)
			p.report(at, "left out for %s: not retryable, and a profile cannot change that", list(codes))
		}
	}
}

// list names the first few.
func list(words []string) string {
	const most = 3
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:most], ", ") + " and others"
}

// overlaySpan finds the place in a profile that a skip is about.
func overlaySpan(profile *spec.Profile, key model.Skip) diag.Span {
	if key.Section == "codes" {
		for _, o := range profile.Codes {
			if o.Key.V == key.Key {
				return first(refSpan(o.Traits.Reaction, false), o.Traits.Retryable.Span, o.Key.Span)
			}
		}
	}
	for _, r := range profile.Reactions {
		if r.Name.V == key.Key {
			return first(r.Action.Span, r.Name.Span)
		}
	}
	return first(profile.Name.Span, profile.Span)
}
