package gentest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// checkFilling checks that evidence fills the fields of a category as the table declares: each key
// alone, all keys together, and no evidence.
func (k *category) checkFilling(t *testing.T, index int) {
	d, ok := k.Table.Classifier.(*detect.Detection)
	if !ok {
		return
	}
	fallback, _ := k.Table.Taxonomy.Find(k.Table.Taxonomy.Fallback)
	for n := 1; n < len(k.Table.Taxonomy.Categories[index].Codes); n++ {
		row := taxonomy.At(index, uint16(n))
		var rules []detect.CodeRule
		if index < len(d.Categories) && n < len(d.Categories[index]) {
			rules = d.Categories[index][n]
		}
		if row == fallback {
			rules = append(rules[:len(rules):len(rules)], detect.CodeRule{Set: d.FallbackSet, Apply: d.FallbackApply})
		}
		evidence := evidenceFor(k.Table.Taxonomy.Fields(row))
		for _, rule := range rules {
			for _, ev := range evidence {
				k.checkFilled(t, d, row, rule, ev)
			}
			evidence = evidence[:1] // the other rules of a code differ in what they set
		}
	}
}

// evidenceFor returns evidence that fills fields: without any key, with all keys, and with each key
// alone.
func evidenceFor(fields []taxonomy.Field) []*taxonomy.Evidence {
	all := new(taxonomy.Evidence)
	list := []*taxonomy.Evidence{{}, all}
	eachKey(fields, func(f taxonomy.Field, key string) {
		one := new(taxonomy.Evidence)
		for _, ev := range []*taxonomy.Evidence{one, all} {
			setKey(ev, key, sampleText(f))
		}
		list = append(list, one)
	})
	return list
}

// setKey sets a key of evidence. Text is the value, unless the key is not a text.
func setKey(ev *taxonomy.Evidence, key, text string) {
	value, ok := notTexts[key]
	if !ok {
		value = encode(text)
	}
	if name, ok := strings.CutPrefix(key, "attributes."); ok {
		key, value = "attributes", "{"+encode(name)+":"+value+"}"
	}
	if err := json.Unmarshal([]byte("{"+encode(key)+":"+value+"}"), ev); err != nil {
		panic(err)
	}
}

// notTexts are JSON values of the keys of evidence that are not texts.
var notTexts = map[string]string{
	"status": "418", "exit_code": "3", "files": `["some file"]`, "retry_after": `"1m30s"`,
	"reset_at": `"2026-01-02T03:04:05Z"`,
}

// checkFilled checks the context of an error that a rule makes of evidence.
func (k *category) checkFilled(
	t *testing.T, d *detect.Detection, row taxonomy.Row, rule detect.CodeRule, ev *taxonomy.Evidence,
) {
	fields := k.Table.Taxonomy.Fields(row)
	context, _ := gen.Filled(fields, ev)
	code := k.Table.Taxonomy.Code(row)
	for _, set := range []string{rule.Set, code.Set} {
		if set != "" {
			require.NoError(t, json.Unmarshal([]byte(set), &context))
		}
	}
	want, err := k.Unmarshal(wireOf(k.name, code.Value, encode(onWire(fields, context))))
	require.NoError(t, err)
	wantContext := string(want.AppendContext(nil))
	e := d.From(row, ev)
	if rule.Apply != nil {
		rule.Apply(e)
	}
	if len(ev.Files) > 0 {
		ev.Files[0] = "changed"
		defer func() { ev.Files[0] = "some file" }()
	}
	assert.Equal(t, wantContext, string(e.AppendContext(nil)), "context of %s made of %+v", rule.Doc, ev)
	assert.Equal(t, row, e.Row().When(0))
}

// onWire returns the context of [gen.Filled] as encoding/json writes it in the form of the wire,
// without the fields that are in the message only.
func onWire(fields []taxonomy.Field, context map[string]any) map[string]any {
	for _, f := range fields {
		v, ok := context[f.Name]
		switch inner, isObject := v.(map[string]any); {
		case !ok:
		case f.MessageOnly:
			delete(context, f.Name)
		case f.Sensitive:
			context[f.Name] = taxonomy.Redacted
		case isObject:
			context[f.Name] = onWire(f.Fields, inner)
		}
		if d, ok := v.(time.Duration); ok && !f.Sensitive {
			context[f.Name] = d.String()
		}
	}
	return context
}

// eachKey calls do for each key that fills a field, in objects too.
func eachKey(fields []taxonomy.Field, do func(f taxonomy.Field, key string)) {
	for _, f := range fields {
		for _, key := range f.From {
			do(f, key)
		}
		eachKey(f.Fields, do)
	}
}

// sampleText returns a text that can be read as the type of a field.
func sampleText(f taxonomy.Field) string {
	switch f.Type {
	case "enum":
		return f.Enum[len(f.Enum)-1]
	case "int", "int64", "uint64", "float64":
		return "7"
	case "bool":
		return "true"
	case "duration":
		return "1m30s"
	case "time":
		return "2026-01-02T03:04:05Z"
	case "json":
		return `{"a":1}`
	}
	return "some text"
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
