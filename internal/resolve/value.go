package resolve

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// forms describe the literals of each type in errors.
var forms = map[model.Type]string{
	model.String: "text; put it in quotes", model.Int: "a whole number", model.Int64: "a whole number",
	model.Uint64: "a whole number that is not negative", model.Float64: "a finite number", model.Bool: "true or false",
	model.Duration: "a duration with a unit, as in 1.5s or 2h", model.Time: "a time, as in 2006-01-02T15:04:05Z",
	model.Strings: "a list of texts", model.JSON: "a value that JSON can express",
}

// Value reads a literal as a value of field f. If the literal is not valid, it returns the zero
// value of the field's type, and the error describes the values that the field takes.
func Value(f *model.Field, lit spec.Literal) (model.Value, error) {
	v := model.Value{Type: f.Type}
	ok, err := false, error(nil)
	switch f.Type {
	case model.String:
		v.Str, ok = lit.Text, lit.Kind == spec.LitString
	case model.Int, model.Int64:
		v.Int, err = strconv.ParseInt(lit.Text, 10, 64)
		ok = lit.Kind == spec.LitInt
	case model.Uint64:
		v.Uint, err = strconv.ParseUint(lit.Text, 10, 64)
		ok = lit.Kind == spec.LitInt
	case model.Float64:
		v.Float, err = strconv.ParseFloat(lit.Text, 64)
		v.Float += 0 // Go constants have no negative zero
		ok = (lit.Kind == spec.LitFloat || lit.Kind == spec.LitInt) && !math.IsInf(v.Float, 0) && !math.IsNaN(v.Float)
	case model.Bool:
		v.Bool, ok = strings.EqualFold(lit.Text, "true"), lit.Kind == spec.LitBool
	case model.Duration:
		v.Duration, err = time.ParseDuration(lit.Text)
		ok = lit.Kind == spec.LitString
	case model.Time:
		v.Time, err = time.Parse(time.RFC3339Nano, lit.Text)
		v.Time, ok = v.Time.UTC(), isScalar(lit)
	case model.Strings:
		v.Strings, ok = make([]string, len(lit.Items)), lit.Kind == spec.LitList
		for i, item := range lit.Items {
			v.Strings[i], ok = item.Text, ok && item.Kind == spec.LitString
		}
	case model.JSON:
		var text []byte
		text, err = json.Marshal(jsonOf(lit))
		v.Str, ok = string(text), true
	case model.EnumType:
		if v.Index, ok = f.Enum.Index(lit.Text); ok {
			v.Str, ok = lit.Text, isScalar(lit)
		}
	}
	switch {
	case ok && err == nil:
		return v, nil
	case f.Type == model.EnumType:
		err = fmt.Errorf("expected one of %s", strings.Join(f.Enum.Words(), ", "))
	case forms[f.Type] == "":
		err = fmt.Errorf("a taxonomy cannot contain a value of type %s", f.Type)
	default:
		err = fmt.Errorf("expected %s", forms[f.Type])
	}
	return model.Value{Type: f.Type}, err
}

// jsonOf returns a literal as a value for encoding/json, which fails for a number that JSON cannot
// express.
func jsonOf(lit spec.Literal) any {
	switch lit.Kind {
	case spec.LitNull:
		return nil
	case spec.LitBool:
		return strings.EqualFold(lit.Text, "true")
	case spec.LitInt, spec.LitFloat:
		return json.Number(lit.Text)
	case spec.LitList:
		out := make([]any, len(lit.Items))
		for i, item := range lit.Items {
			out[i] = jsonOf(item)
		}
		return out
	case spec.LitMap:
		out := make(map[string]any, len(lit.Keys))
		for _, entry := range lit.Keys {
			out[entry.Key.V] = jsonOf(entry.Value)
		}
		return out
	}
	return lit.Text
}

func isScalar(lit spec.Literal) bool { return lit.Kind != spec.LitList && lit.Kind != spec.LitMap }
