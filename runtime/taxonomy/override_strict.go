package taxonomy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// maxNesting is how deep JSON of overrides may nest. Each reaction in a chain that stands in place
// takes one level.
const maxNesting = 100

// UnmarshalJSON reads overrides. A key that there is not, or that stands twice, is an error, at
// every level: one that is passed over would leave on what it was to switch off. YAML leaves that
// to the decoder, which is best a strict one.
func (o *Overrides) UnmarshalJSON(b []byte) error {
	type plain Overrides
	return strictly(b, (*plain)(o))
}

// UnmarshalJSON reads it as [Overrides] are read.
func (o *TraitsOverride) UnmarshalJSON(b []byte) error {
	type plain TraitsOverride
	return strictly(b, (*plain)(o))
}

// UnmarshalJSON reads it as [Overrides] are read.
func (o *DetectionOverride) UnmarshalJSON(b []byte) error {
	type plain DetectionOverride
	return strictly(b, (*plain)(o))
}

// UnmarshalJSON reads it as [Overrides] are read.
func (o *RecoveryOverride) UnmarshalJSON(b []byte) error {
	type plain RecoveryOverride
	return strictly(b, (*plain)(o))
}

// UnmarshalJSON reads it as [Overrides] are read.
func (o *RetryOverride) UnmarshalJSON(b []byte) error {
	type plain RetryOverride
	return strictly(b, (*plain)(o))
}

// UnmarshalJSON reads it as [Overrides] are read.
func (o *ReportingOverride) UnmarshalJSON(b []byte) error {
	type plain ReportingOverride
	return strictly(b, (*plain)(o))
}

// strictly decodes b into v, which points to a struct, once all keys in it are known to be there
// and to stand once.
func strictly(b []byte, v any) error {
	k := keyReader{json.NewDecoder(bytes.NewReader(b))}
	k.UseNumber()
	if err := k.value(reflect.TypeOf(v), "", 0); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// keyReader reads JSON for its keys. That a value is of another type than it has to be is not its
// business.
type keyReader struct{ *json.Decoder }

func (k keyReader) value(t reflect.Type, at string, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("%s…: nested deeper than %d", at[:min(len(at), maxNesting)], maxNesting)
	}
	token, err := k.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return k.object(held(t), at, depth)
	case json.Delim('['):
		for k.More() {
			if err := k.value(nil, at, depth+1); err != nil {
				return err
			}
		}
		_, err = k.Token()
	}
	return err
}

// held returns what type's keys an object has that stands for a t.
func held(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[ReactionRef]():
		return reflect.TypeFor[reactionKeys]()
	case reflect.TypeFor[PolicyRef]():
		return reflect.TypeFor[PolicyOverride]()
	}
	return t
}

func (k keyReader) object(t reflect.Type, at string, depth int) error {
	seen := make(map[string]bool)
	for k.More() {
		token, err := k.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		where := key
		if at != "" {
			where = at + "." + key
		}
		if seen[key] {
			return errors.New(where + ": the key stands twice")
		}
		seen[key] = true
		of, err := under(t, key, where)
		if err != nil {
			return err
		}
		if err := k.value(of, where, depth+1); err != nil {
			return err
		}
	}
	_, err := k.Token()
	return err
}

// under returns the type of what stands under a key of a t; nil where that is of no interest.
func under(t reflect.Type, key, where string) (reflect.Type, error) {
	switch {
	case t == nil:
		return nil, nil
	case t.Kind() == reflect.Map:
		return t.Elem(), nil
	case t.Kind() != reflect.Struct:
		return nil, nil
	}
	var known []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == key && name != "" {
			return f.Type, nil
		}
		if name != "" {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	return nil, fmt.Errorf("%s: unknown key; there are %s", where, strings.Join(known, ", "))
}
