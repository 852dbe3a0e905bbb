package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// cleanMetadata returns metadata masked and bounded, its values as encoding/json reads them. What
// is too much is left out, the keys that sort last.
func cleanMetadata(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	c := metadataCleaner{left: maxMetadata}
	return c.object(m, maxNested)
}

// metadataCleaner bounds how many bytes of texts there are.
type metadataCleaner struct{ left int }

func (c *metadataCleaner) object(m map[string]any, depth int) map[string]any {
	out := make(map[string]any, min(len(m), maxEntries))
	for _, k := range firstKeys(m) {
		key := c.text(k, maxName)
		if c.left <= 0 {
			break
		}
		v := c.value(m[k], depth-1)
		if hides(k, v) {
			v = taxonomy.Redacted
		}
		out[key] = v
	}
	return out
}

// hides reports whether a value is a secret because of its key.
func hides(key string, v any) bool {
	if v == nil || v == "" || v == taxonomy.Redacted || isMark(key) {
		return false
	}
	return taxonomy.IsSecretName(key)
}

// firstKeys returns the keys that sort first, as many as there may be, and before them those that
// say that the occurrence was enriched, so that no other crowds them out.
func firstKeys(m map[string]any) []string {
	var keys []string
	for _, mark := range []string{enrichedAt, enrichmentSource} {
		if _, ok := m[mark]; ok {
			keys = append(keys, mark)
		}
	}
	marked := len(keys)
	for k := range m {
		if !isMark(k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys[marked:])
	return keys[:min(len(keys), marked+maxEntries)]
}

// marks is how many keys say that an occurrence was enriched.
const marks = 2

func isMark(key string) bool { return key == enrichedAt || key == enrichmentSource }

func (c *metadataCleaner) list(in []any, depth int) []any {
	out := make([]any, 0, min(len(in), maxEntries))
	for _, v := range in[:min(len(in), maxEntries)] {
		if c.left <= 0 {
			break
		}
		out = append(out, c.value(v, depth-1))
	}
	return out
}

// text returns a text of at most n bytes, and of what is left.
func (c *metadataCleaner) text(s string, n int) string {
	s = kept(s, min(n, max(c.left, 0)))
	c.left -= len(s) + 1
	return s
}

func (c *metadataCleaner) value(v any, depth int) any {
	if depth <= 0 {
		return nil
	}
	c.left--
	switch x := v.(type) {
	case nil, bool:
		return x
	case string:
		return c.text(x, maxMessage)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return x
	case map[string]any:
		return c.object(x, depth)
	case []any:
		return c.list(x, depth)
	}
	return c.other(v, depth)
}

// other returns what encoding/json makes of a value of another type: texts of errors and durations,
// otherwise its JSON.
func (c *metadataCleaner) other(v any, depth int) any {
	switch x := v.(type) {
	case int:
		return float64(x)
	case int64:
		return float64(x)
	case time.Duration:
		return x.String()
	case error:
		return c.text(errtree.Text(x), maxMessage)
	}
	read, ok := throughJSON(v)
	if !ok {
		return c.text(fmt.Sprintf("(%T)", v), maxName)
	}
	return c.value(read, depth)
}

// throughJSON returns what is read of the JSON of v.
func throughJSON(v any) (read any, ok bool) {
	defer func() {
		if recover() != nil {
			read, ok = nil, false
		}
	}()
	b, err := json.Marshal(v)
	if err != nil || json.Unmarshal(b, &read) != nil {
		return nil, false
	}
	return read, true
}

// isCleanMetadata reports whether cleanMetadata would change nothing.
func isCleanMetadata(m map[string]any) bool {
	// What is left out last may have taken a little more than was left.
	left := maxMetadata + 8*maxNested
	return isCleanObject(m, maxNested, &left)
}

func isCleanObject(m map[string]any, depth int, left *int) bool {
	entries := 0
	for k, v := range m {
		if entries++; isMark(k) {
			entries--
		}
		if entries > maxEntries || !isCleanText(k, maxName, left) || !isCleanValue(v, depth-1, left) || hides(k, v) {
			return false
		}
	}
	return true
}

func isCleanText(s string, n int, left *int) bool {
	if len(s) > min(n, *left) || boundedText(s, n) != s {
		return false
	}
	*left -= len(s) + 1
	return *left >= 0
}

func isCleanValue(v any, depth int, left *int) bool {
	if depth <= 0 {
		return v == nil
	}
	*left--
	switch x := v.(type) {
	case nil, bool:
		return true
	case string:
		return isCleanText(x, maxMessage, left)
	case float64:
		return !math.IsNaN(x) && !math.IsInf(x, 0)
	case map[string]any:
		return isCleanObject(x, depth, left)
	case []any:
		if len(x) > maxEntries {
			return false
		}
		return !slices.ContainsFunc(x, func(v any) bool { return !isCleanValue(v, depth-1, left) })
	}
	return false
}

// cloneMetadata returns a copy that shares no map or list; what is nested deeper than depth is nil.
// Values of other types than encoding/json's are shared.
func cloneMetadata(m map[string]any, depth int) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = cloneValue(v, depth-1)
	}
	return out
}

func cloneValue(v any, depth int) any {
	switch x := v.(type) {
	case map[string]any:
		if depth <= 0 {
			return nil
		}
		return cloneMetadata(x, depth)
	case []any:
		if depth <= 0 {
			return nil
		}
		out := make([]any, len(x))
		for i := range x {
			out[i] = cloneValue(x[i], depth-1)
		}
		return out
	}
	return v
}
