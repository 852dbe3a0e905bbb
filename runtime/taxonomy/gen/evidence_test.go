package gen_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Each row is read as every type. A type without a value in the row cannot be read.
func TestRead(t *testing.T) {
	words := []string{"low", "high"}
	types := []string{
		"string", "enum", "int", "int64", "uint64", "float64", "bool", "duration", "time", "strings", "json", "object",
		"no such type",
	}
	instant := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	attribute := func(text string) taxonomy.Evidence {
		return taxonomy.Evidence{Attributes: map[string]string{"a.b": text}}
	}
	tests := []struct {
		name string
		ev   taxonomy.Evidence
		from string
		want map[string]any
	}{
		{"source", taxonomy.Evidence{Source: "git"}, "source", map[string]any{"string": "git"}},
		{"op", taxonomy.Evidence{Op: "high"}, "op", map[string]any{"string": "high", "enum": "high"}},
		{"type", taxonomy.Evidence{Type: "low"}, "type", map[string]any{"string": "low", "enum": "low"}},
		{"code", taxonomy.Evidence{Code: "08006"}, "code", map[string]any{
			"string": "08006", "int": 8006, "int64": int64(8006), "uint64": uint64(8006), "float64": 8006.0,
			"json": nil,
		}},
		{"signal", taxonomy.Evidence{Signal: "SIGKILL"}, "signal", map[string]any{"string": "SIGKILL"}},
		{"errno", taxonomy.Evidence{Errno: "EPERM"}, "errno", map[string]any{"string": "EPERM"}},
		{"text", taxonomy.Evidence{Text: "Low"}, "text", map[string]any{"string": "Low"}},
		{"output", taxonomy.Evidence{Output: "said"}, "output", map[string]any{"string": "said"}},
		{"credential", taxonomy.Evidence{Credential: "main"}, "credential", map[string]any{"string": "main"}},
		{"status", taxonomy.Evidence{Status: 529}, "status",
			map[string]any{"string": "529", "int": 529, "int64": int64(529)}},
		{"no status", taxonomy.Evidence{}, "status", nil},
		{"exit code", taxonomy.Evidence{ExitCode: taxonomy.Some(0)}, "exit_code",
			map[string]any{"string": "0", "int": 0, "int64": int64(0)}},
		{"no exit code", taxonomy.Evidence{}, "exit_code", nil},
		{"files", taxonomy.Evidence{Files: []string{"a"}}, "files", map[string]any{"strings": []string{"a"}}},
		{"no files", taxonomy.Evidence{Files: []string{}}, "files", nil},
		{"retry after nothing", taxonomy.Evidence{RetryAfter: taxonomy.Some(time.Duration(0))}, "retry_after",
			map[string]any{"duration": time.Duration(0)}},
		{"no retry after", taxonomy.Evidence{}, "retry_after", nil},
		{"reset", taxonomy.Evidence{ResetAt: instant}, "reset_at", map[string]any{"time": instant}},
		{"no reset", taxonomy.Evidence{}, "reset_at", nil},
		{"number", attribute("-7"), "attributes.a.b",
			map[string]any{"string": "-7", "int": -7, "int64": int64(-7), "float64": -7.0,
				"json": json.RawMessage("-7")}},
		{"bool", attribute("true"), "attributes.a.b",
			map[string]any{"string": "true", "bool": true, "json": json.RawMessage("true")}},
		{"duration", attribute("1m30s"), "attributes.a.b",
			map[string]any{"string": "1m30s", "duration": 90 * time.Second}},
		{"time", attribute("2026-01-02T04:04:05.000000006+01:00"), "attributes.a.b",
			map[string]any{"string": "2026-01-02T04:04:05.000000006+01:00", "time": instant}},
		{"JSON", attribute(` {"a": "<"} `), "attributes.a.b",
			map[string]any{"string": ` {"a": "<"} `, "json": json.RawMessage(`{"a":"\u003c"}`)}},
		{"null", attribute("null"), "attributes.a.b", map[string]any{"string": "null"}},
		{"too large a number", attribute("1e999"), "attributes.a.b",
			map[string]any{"string": "1e999", "json": json.RawMessage("1e999")}},
		{"no number", attribute("NaN"), "attributes.a.b", map[string]any{"string": "NaN"}},
		{"more than an int64", attribute("18446744073709551615"), "attributes.a.b", map[string]any{
			"string": "18446744073709551615", "uint64": uint64(math.MaxUint64), "float64": float64(math.MaxUint64),
			"json": json.RawMessage("18446744073709551615"),
		}},
		{"empty", attribute(""), "attributes.a.b", nil},
		{"no attribute", taxonomy.Evidence{}, "attributes.a.b", nil},
		{"no key", attribute("x"), "a.b", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, typ := range types {
				got, ok := gen.Read(&taxonomy.Field{From: []string{"files.x", tt.from}, Type: typ, Enum: words}, &tt.ev)
				assert.Equal(t, tt.want[typ], got, typ)
				assert.Equal(t, tt.want[typ] != nil, ok, typ)
			}
		})
	}
}

func TestReadWord(t *testing.T) {
	type mood uint8
	assert.Equal(t, taxonomy.Some(mood(2)), gen.ReadWord[mood]("b", []string{"a", "b"}))
	assert.True(t, gen.ReadWord[mood]("B", []string{"a", "b"}).IsZero())
	assert.True(t, gen.ReadWord[mood]("", []string{""}).IsZero())
	assert.True(t, gen.ReadWord[mood]("a", nil).IsZero())
}

func TestReadStringsCopies(t *testing.T) {
	list := []string{"a"}
	got := gen.ReadStrings(list)
	list[0] = "changed"
	assert.Equal(t, []string{"a"}, got)
}

func TestFilled(t *testing.T) {
	type values = map[string]any
	fields := []taxonomy.Field{
		{Name: "first", Type: "string", From: []string{"attributes.first", "source"}},
		{Name: "number", Type: "int", From: []string{"attributes.number", "status"}, Default: "7"},
		{Name: "part", Type: "object", Fields: []taxonomy.Field{
			{Name: "op", Type: "string", From: []string{"op"}}, {Name: "fixed", Type: "bool", Default: "true"},
		}},
		{Name: "present", Type: "object", Required: true, Fields: []taxonomy.Field{
			{Name: "x", Type: "bool", Default: "false"},
		}},
		{Name: "other", Type: "string"},
	}
	always := values{"x": json.RawMessage("false")}
	for _, tt := range []struct {
		name  string
		ev    taxonomy.Evidence
		want  values
		found bool
	}{
		{"no evidence", taxonomy.Evidence{}, values{"number": json.RawMessage("7"), "present": always}, false},
		{"first key", taxonomy.Evidence{Source: "git", Attributes: map[string]string{"first": "1", "number": "2"}},
			values{"first": "1", "number": 2, "present": always}, true},
		{"next key", taxonomy.Evidence{Source: "git", Status: 500, Attributes: map[string]string{"number": "two"}},
			values{"first": "git", "number": 500, "present": always}, true},
		{"optional object", taxonomy.Evidence{Op: "push"},
			values{"number": json.RawMessage("7"), "present": always,
				"part": values{"op": "push", "fixed": json.RawMessage("true")}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, found := gen.Filled(fields, &tt.ev)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.found, found)
		})
	}
}
