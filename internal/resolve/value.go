package resolve

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// Value reads a literal as a value of field f. The error says what the field takes instead; even
// then the value has the field's type, and is its zero.
func Value(f *model.Field, lit spec.Literal) (model.Value, error) {
	v := model.Value{Type: f.Type}
	if err := fill(&v, f, lit); err != nil {
		return model.Value{Type: f.Type}, err
	}
	return v, nil
}

func fill(v *model.Value, f *model.Field, lit spec.Literal) error {
	if lit.Kind == spec.LitNull && f.Type != model.JSON {
		return fmt.Errorf("a value of type %s is needed here", f.Type)
	}
	switch f.Type {
	case model.String:
		return fillString(v, lit)
	case model.Int, model.Int64:
		return fillInt(v, lit)
	case model.Uint64:
		return fillUint(v, lit)
	case model.Float64:
		return fillFloat(v, lit)
	case model.Bool:
		return fillBool(v, lit)
	case model.Duration:
		return fillDuration(v, lit)
	case model.Time:
		return fillTime(v, lit)
	case model.Strings:
		return fillStrings(v, lit)
	case model.JSON:
		return fillJSON(v, lit)
	case model.EnumType:
		return fillEnum(v, f.Enum, lit)
	}
	return fmt.Errorf("a value of type %s cannot be written here", f.Type)
}

func fillString(v *model.Value, lit spec.Literal) error {
	if lit.Kind == spec.LitString {
		v.Str = lit.Text
		return nil
	}
	if scalar(lit) {
		return fmt.Errorf("a string is needed here; put %s in quotes", lit.Text)
	}
	return errors.New("a string is needed here")
}

func fillInt(v *model.Value, lit spec.Literal) error {
	if lit.Kind != spec.LitInt {
		return errors.New("a whole number is needed here")
	}
	n, err := strconv.ParseInt(lit.Text, intBase(lit.Text), 64)
	if err != nil {
		return intError(lit.Text, err)
	}
	v.Int = n
	return nil
}

func fillUint(v *model.Value, lit spec.Literal) error {
	if lit.Kind != spec.LitInt {
		return errors.New("a whole number is needed here")
	}
	if strings.HasPrefix(lit.Text, "-") {
		return errors.New("a number that is not negative is needed here")
	}
	text := strings.TrimPrefix(lit.Text, "+")
	n, err := strconv.ParseUint(text, intBase(text), 64)
	if err != nil {
		return intError(lit.Text, err)
	}
	v.Uint = n
	return nil
}

// intBase reads 0x1F as Go and YAML do, but 010 as ten: what looks octal to one reader and decimal
// to the next is taken as most people would.
func intBase(text string) int {
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9' {
		return 10
	}
	return 0
}

func intError(text string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is out of range", text)
	}
	return errors.New("a whole number is needed here")
}

func fillFloat(v *model.Value, lit spec.Literal) error {
	if lit.Kind != spec.LitFloat && lit.Kind != spec.LitInt {
		return errors.New("a number is needed here")
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(lit.Text, "_", ""), 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return errors.New("a finite number is needed here")
	}
	v.Float = n + 0 // there is no negative zero among Go constants
	return nil
}

func fillBool(v *model.Value, lit spec.Literal) error {
	if lit.Kind != spec.LitBool {
		return errors.New("true or false is needed here")
	}
	v.Bool = strings.EqualFold(lit.Text, "true")
	return nil
}

func fillDuration(v *model.Value, lit spec.Literal) error {
	if lit.Kind == spec.LitInt || lit.Kind == spec.LitFloat {
		return fmt.Errorf("a duration needs a unit, as in %ss", lit.Text)
	}
	d, err := time.ParseDuration(lit.Text)
	if lit.Kind != spec.LitString || err != nil {
		return errors.New("a duration is needed here, as in 1.5s or 2h")
	}
	v.Duration = d
	return nil
}

func fillTime(v *model.Value, lit spec.Literal) error {
	t, err := time.Parse(time.RFC3339Nano, lit.Text)
	if !scalar(lit) || err != nil {
		return errors.New("a time is needed here, as in 2006-01-02T15:04:05Z")
	}
	v.Time = t.UTC()
	return nil
}

func fillStrings(v *model.Value, lit spec.Literal) error {
	if lit.Kind != spec.LitList {
		return errors.New("a list of strings is needed here")
	}
	v.Strings = make([]string, len(lit.Items))
	for i, item := range lit.Items {
		var s model.Value
		if err := fillString(&s, item); err != nil {
			return err
		}
		v.Strings[i] = s.Str
	}
	return nil
}

func fillEnum(v *model.Value, enum *model.Enum, lit spec.Literal) error {
	if scalar(lit) {
		if index, ok := enum.Index(lit.Text); ok {
			v.Str, v.Index = lit.Text, index
			return nil
		}
	}
	return fmt.Errorf("one of %s is needed here", listed(enum))
}

// maxListed bounds, in bytes, which words of an enum a message names.
const maxListed = 500

// listed names the words of an enum, and of very many the first ones.
func listed(enum *model.Enum) string {
	var b strings.Builder
	for i, v := range enum.Values {
		if i > 0 && b.Len()+len(v.Wire) > maxListed {
			return fmt.Sprintf("%s and %d more", b.String(), len(enum.Values)-i)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.Wire)
	}
	return b.String()
}

func scalar(lit spec.Literal) bool {
	return lit.Kind != spec.LitList && lit.Kind != spec.LitMap
}
