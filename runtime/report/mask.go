package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Limits of an occurrence; those of texts are in bytes.
const (
	maxName    = 256
	maxAddress = 1 << 10
	maxMessage = 4 << 10
	maxStack   = 16 << 10
	// maxTree limits the texts of the metadata, and those of the context. maxEntries limits each
	// map and list, and maxNested their depth.
	maxTree    = 16 << 10
	maxEntries = 64
	maxNested  = 8
	maxCauses  = 8
)

// beginning returns the masked beginning of a text, at most n bytes. It is a copy, so that the rest
// of the text can be freed.
func beginning(s string, n int) string {
	if s == "" {
		return ""
	}
	return text.Beginning(s, n)
}

// masked returns o if it is masked and bounded, and otherwise a masked and bounded copy.
func masked(o *Occurrence) *Occurrence {
	if o.masked {
		return o
	}
	return maskedAt(o, 0)
}

func maskedAt(o *Occurrence, depth int) *Occurrence {
	c := *o
	c.masked = true
	names(&c.ID, &c.Domain, &c.Category, &c.Code, &c.Severity, &c.Recoverability, &c.SourceCode,
		&c.Fingerprint, &c.Reaction, &c.Action)
	c.Message, c.Stack = beginning(c.Message, maxMessage), beginning(c.Stack, maxStack)
	if o.Source != nil {
		s := *o.Source
		names(&s.Type, &s.Component, &s.Method)
		s.Endpoint = beginning(s.Endpoint, maxAddress)
		c.Source = &s
	}
	if o.Finding != nil {
		f := *o.Finding
		names(&f.Code, &f.File)
		c.Finding = &f
	}
	if o.Recovery != nil {
		c = *c.With(o.Recovery)
	}
	c.Context, c.Metadata = maskedContext(o.Context), maskedMetadata(o.Metadata)
	if c.Cause = nil; o.Cause != nil && depth < maxCauses {
		c.Cause = maskedAt(o.Cause, depth+1)
	}
	return &c
}

// names masks and bounds names.
func names(all ...*string) {
	for _, s := range all {
		*s = beginning(*s, maxName)
	}
}

// maskedContext returns a masked JSON object, or nil if it is empty, too long or not an object.
func maskedContext(b json.RawMessage) json.RawMessage {
	if len(b) == 0 || len(b) > maxTree {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var object map[string]any
	if d.Decode(&object) != nil || object == nil {
		return nil
	}
	out, err := json.Marshal(maskedMetadata(object))
	if err != nil || len(object) == 0 {
		return nil
	}
	return out
}

// maskedMetadata returns masked and bounded metadata, its values as encoding/json decodes them. If
// the metadata is too large, the keys that sort last are left out.
func maskedMetadata(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	values := make(map[string]any, len(m))
	for k, v := range m {
		values[k] = decoded(v)
	}
	t := tree{left: maxTree}
	return t.object(values, maxNested)
}

// decoded returns a value as encoding/json decodes it. Of an error or a duration it returns the
// text, and of a value that cannot be marshalled the name of the type.
func decoded(v any) (out any) {
	switch v := v.(type) {
	case nil, bool, string, json.Number:
		return v
	case time.Duration:
		return v.String()
	case error:
		return errtree.Text(v)
	}
	out = fmt.Sprintf("(%T)", v)
	try(func() {
		if b, err := json.Marshal(v); err == nil {
			_ = json.Unmarshal(b, &out)
		}
	})
	return out
}

// tree masks a tree of values; left is the room in bytes.
type tree struct{ left int }

func (t *tree) object(m map[string]any, depth int) map[string]any {
	out := make(map[string]any, min(len(m), maxEntries))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if t.left <= 0 || len(out) >= maxEntries {
			break
		}
		key, v := t.text(k, maxName), t.value(m[k], depth-1)
		if v != nil && v != "" && taxonomy.IsSecretName(k) {
			v = taxonomy.Redacted
		}
		out[key] = v
	}
	return out
}

func (t *tree) text(s string, n int) string {
	s = beginning(s, min(n, max(t.left, 0)))
	t.left -= len(s) + 8
	return s
}

func (t *tree) value(v any, depth int) any {
	if t.left -= 8; depth <= 0 {
		return nil
	}
	switch x := v.(type) {
	case string:
		return t.text(x, maxMessage)
	case map[string]any:
		return t.object(x, depth)
	case []any:
		out := make([]any, 0, min(len(x), maxEntries))
		for _, v := range x[:min(len(x), maxEntries)] {
			if t.left > 0 {
				out = append(out, t.value(v, depth-1))
			}
		}
		return out
	}
	return v
}

// try calls f and ignores a panic, because the methods of foreign errors and values may panic.
func try(f func()) {
	defer func() { _ = recover() }()
	f()
}
