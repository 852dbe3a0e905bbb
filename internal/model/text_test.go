package model

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTemplateText(t *testing.T) {
	var (
		host  = &Field{Wire: "host", Type: String}
		short = &Field{Wire: "short", Type: String, MaxLength: 16, Scrub: true}
		n     = &Field{Wire: "n", Type: Int}
		wait  = &Field{Wire: "wait", Type: Duration}
		at    = &Field{Wire: "at", Type: Time}
		files = &Field{Wire: "files", Type: Strings}
		must  = &Field{Wire: "must", Type: Strings, Required: true}
		ratio = &Field{Wire: "ratio", Type: Float64}
		on    = &Field{Wire: "on", Type: Bool}
		word  = &Field{Wire: "word", Type: EnumType}
	)
	full := Context{
		host:  {Type: String, Str: "first\nsecond \"x\""},
		short: {Type: String, Str: strings.Repeat("long ", 9)},
		n:     {Type: Int, Int: 0},
		wait:  {Type: Duration, Duration: 1500 * time.Millisecond},
		at:    {Type: Time, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("x", 3600))},
		files: {Type: Strings, Strings: []string{"a", "b"}},
		ratio: {Type: Float64, Float: 0.25},
		on:    {Type: Bool},
		word:  {Type: EnumType, Index: 1, Str: "ASK"},
	}
	show := func(f *Field, format Format) Part { return Part{Field: f, Format: format} }
	group := func(parts ...Part) Part { return Part{Group: parts} }
	text := func(s string) Part { return Part{Text: s} }
	for _, tt := range []struct {
		name  string
		parts []Part
		ctx   Context
		cause string
		want  string
	}{
		{"text", []Part{text("a {b}")}, nil, "", "a {b}"},
		{"plain", []Part{show(host, Plain)}, full, "", "first\nsecond \"x\""},
		{"first line", []Part{show(host, FirstLine)}, full, "", "first"},
		{"quoted", []Part{show(host, Quoted)}, full, "", `"first\nsecond \"x\""`},
		{"zero is not empty", []Part{group(text("n="), show(n, Plain))}, full, "", "n=0"},
		{"false is not empty", []Part{group(show(on, Plain))}, full, "", "false"},
		{"duration", []Part{show(wait, Plain)}, full, "", "1.5s"},
		{"seconds", []Part{show(wait, Seconds)}, full, "", "1.5"},
		{"time", []Part{show(at, Plain)}, full, "", "2026-01-02T02:04:05.000000006Z"},
		{"list", []Part{show(files, Plain)}, full, "", "a, b"},
		{"count", []Part{show(files, Count)}, full, "", "2"},
		{"count of none", []Part{show(must, Count), group(text(" of "), show(must, Count))}, nil, "", "0"},
		{"float", []Part{show(ratio, Plain)}, full, "", "0.25"},
		{"enum", []Part{show(word, Plain)}, full, "", "ASK"},
		{"absent", []Part{text("a"), group(text(": "), show(host, Plain)), text(".")}, nil, "", "a."},
		{"empty counts as absent", []Part{text("a"), group(text(": "), show(host, Plain))},
			Context{host: {Type: String}}, "", "a"},
		{"one absent of two", []Part{group(show(n, Plain), text("/"), show(host, Plain))},
			Context{n: {Type: Int, Int: 1}}, "", ""},
		{"no cause", []Part{text("failed"), group(text(": "), Part{Cause: true})}, nil, "", "failed"},
		{"cause", []Part{text("failed"), group(text(": "), Part{Cause: true})}, nil, "no space", "failed: no space"},
		{"cause quoted", []Part{{Cause: true, Format: Quoted}}, nil, "a\"b", `"a\"b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Template{Parts: tt.parts}.Text(tt.ctx, tt.cause))
		})
	}
	cut := Template{Parts: []Part{show(short, Plain)}}.Text(full, "")
	assert.LessOrEqual(t, len(cut), 16)
	assert.True(t, strings.HasPrefix(cut, "long"))
}
