package resolve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// maxJSONDepth bounds nesting, so that a hostile file costs no stack.
const maxJSONDepth = 100

func fillJSON(v *model.Value, lit spec.Literal) error {
	var b bytes.Buffer
	if err := writeJSON(&b, lit, 0); err != nil {
		return err
	}
	v.Str = b.String()
	return nil
}

func writeJSON(b *bytes.Buffer, lit spec.Literal, depth int) error {
	if depth > maxJSONDepth {
		return errors.New("the value is nested too deeply")
	}
	switch lit.Kind {
	case spec.LitNull:
		b.WriteString("null")
	case spec.LitBool:
		b.WriteString(strings.ToLower(lit.Text))
	case spec.LitInt, spec.LitFloat:
		return writeJSONNumber(b, lit)
	case spec.LitList:
		return writeJSONList(b, lit, depth)
	case spec.LitMap:
		return writeJSONMap(b, lit, depth)
	default:
		writeJSONString(b, lit.Text)
	}
	return nil
}

func writeJSONNumber(b *bytes.Buffer, lit spec.Literal) error {
	text := strings.ReplaceAll(lit.Text, "_", "")
	if n, ok := new(big.Int).SetString(text, intBase(text)); ok {
		b.WriteString(n.String())
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return fmt.Errorf("%s has no form in JSON", lit.Text)
	}
	b.WriteString(strconv.FormatFloat(n, 'g', -1, 64))
	return nil
}

func writeJSONList(b *bytes.Buffer, lit spec.Literal, depth int) error {
	b.WriteByte('[')
	for i, item := range lit.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(b, item, depth+1); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func writeJSONMap(b *bytes.Buffer, lit spec.Literal, depth int) error {
	b.WriteByte('{')
	for i, entry := range lit.Keys {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSONString(b, entry.Key.V)
		b.WriteByte(':')
		if err := writeJSON(b, entry.Value, depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func writeJSONString(b *bytes.Buffer, text string) {
	enc := json.NewEncoder(b)
	_ = enc.Encode(text) // a string always encodes
	b.Truncate(b.Len() - 1)
}
