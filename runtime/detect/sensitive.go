package detect

import (
	"maps"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Shown returns the evidence without what fills sensitive fields of the taxonomy, as String and
// MarshalJSON show it.
func (e Explanation) Shown() taxonomy.Evidence { return hide(e.Evidence, e.sensitive) }

// hide returns ev without what stands under the given keys of evidence, from which sensitive fields
// are filled. A text is replaced by [taxonomy.Redacted], anything else is left out.
func hide(ev taxonomy.Evidence, keys []string) taxonomy.Evidence {
	own := false // whether the attributes are a copy
	for _, key := range keys {
		name, ok := strings.CutPrefix(key, "attributes.")
		if !ok {
			hidePart(&ev, key)
			continue
		}
		if ev.Attributes[name] == "" {
			continue
		}
		if !own {
			ev.Attributes, own = maps.Clone(ev.Attributes), true
		}
		ev.Attributes[name] = taxonomy.Redacted
	}
	return ev
}

func hidePart(ev *taxonomy.Evidence, key string) {
	switch key {
	case "status":
		ev.Status, ev.StatusDerived = 0, false
	case "exit_code":
		ev.ExitCode = taxonomy.Opt[int]{}
	case "files":
		ev.Files = nil
	case "retry_after":
		ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Opt[time.Duration]{}, false
	case "reset_at":
		ev.ResetAt = time.Time{}
	default:
		if text := partOf(ev, key); text != nil && *text != "" {
			*text = taxonomy.Redacted
		}
	}
}

// partOf returns the part of evidence under a key that is a text, or nil.
func partOf(ev *taxonomy.Evidence, key string) *string {
	switch key {
	case "source":
		return &ev.Source
	case "op":
		return &ev.Op
	case "type":
		return &ev.Type
	case "code":
		return &ev.Code
	case "signal":
		return &ev.Signal
	case "errno":
		return &ev.Errno
	case "text":
		return &ev.Text
	case "output":
		return &ev.Output
	case "credential":
		return &ev.Credential
	}
	return nil
}
