package detect

import (
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Read returns what a field is filled with from one key of evidence, both as the taxonomy names
// them: "status" and "int", "attributes.mode" and "enum". It reads exactly what generated code
// reads; false is what fills nothing. The value has the field's Go type, but that of an enum is its
// place among the words as a uint8, and of JSON a json.RawMessage.
func Read(ev *taxonomy.Evidence, from, typ string, words []string) (any, bool) {
	switch from {
	case "status":
		return numberAs(NonZero(ev.Status), typ)
	case "exit_code":
		return numberAs(ev.ExitCode, typ)
	case "files":
		return valueIf(ReadStrings(ev.Files), typ == "strings" && len(ev.Files) > 0)
	case "retry_after":
		return valueOf(ev.RetryAfter, typ == "duration")
	case "reset_at":
		return valueOf(Instant(ev.ResetAt), typ == "time")
	}
	text := textUnder(ev, from)
	if text == "" {
		return nil, false
	}
	return readAs(text, typ, words)
}

// textUnder returns the text under a key of evidence that has one.
func textUnder(ev *taxonomy.Evidence, from string) string {
	switch from {
	case "source":
		return ev.Source
	case "op":
		return ev.Op
	case "type":
		return ev.Type
	case "code":
		return ev.Code
	case "signal":
		return ev.Signal
	case "errno":
		return ev.Errno
	case "text":
		return ev.Text
	case "output":
		return ev.Output
	case "credential":
		return ev.Credential
	}
	name, ok := strings.CutPrefix(from, "attributes.")
	if !ok {
		return ""
	}
	return ev.Attribute(name)
}

func numberAs(n taxonomy.Opt[int], typ string) (any, bool) {
	switch typ {
	case "int":
		return valueOf(n, true)
	case "int64":
		return valueOf(Widen(n), true)
	case "string":
		return valueOf(Digits(n), true)
	}
	return nil, false
}

func readAs(text, typ string, words []string) (any, bool) {
	switch typ {
	case "string":
		return text, true
	case "enum":
		return valueOf(ReadWord[uint8](text, words), true)
	case "int":
		return valueOf(ReadInt(text), true)
	case "int64":
		return valueOf(ReadInt64(text), true)
	case "uint64":
		return valueOf(ReadUint64(text), true)
	case "float64":
		return valueOf(ReadFloat64(text), true)
	case "bool":
		return valueOf(ReadBool(text), true)
	case "duration":
		return valueOf(ReadDuration(text), true)
	case "time":
		return valueOf(ReadTime(text), true)
	case "json":
		raw := ReadJSON(text)
		return valueIf(raw, raw != nil)
	}
	return nil, false
}

func valueOf[T any](v taxonomy.Opt[T], fits bool) (any, bool) {
	value, ok := v.Get()
	return valueIf(value, ok && fits)
}

func valueIf[T any](v T, ok bool) (any, bool) {
	if !ok {
		return nil, false
	}
	return v, true
}
