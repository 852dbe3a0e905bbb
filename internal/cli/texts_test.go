package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTypeScriptTexts shows a value of each format as runtime/localize does.
func TestTypeScriptTexts(t *testing.T) {
	tsc, dir := nodeTool(t, "tsc"), t.TempDir()
	shapes, err := os.ReadFile("testdata/shapes.yaml")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"package.json": `{"type": "module"}`, "shapes.yaml": string(shapes), "shapes.messages.ar.yaml": `language: ar
messages:
  SHAPE_BROKEN:
    message: '{text}|{text:first_line}|{text:quoted}|{word}[|{count}]|{wide}[|{share}][|{flag}][|{wait}]` +
			`[|{at}][|{list}][|{list:count}][|{raw}]'
  SHAPE_LATE:
    message: '{wide:plural zero=z one=o two=t few=f many=m other=x}[|{wait:seconds}]` +
			`[|{list:count}][ by {wait}][|{flag}]'
`, "read.ts": `import { localized, parseError } from "./errors.js";
import { texts } from "./errors.ar.js";
declare const process: { argv: string[] };
for (const text of JSON.parse(process.argv[2] ?? "[]") as string[]) {
  console.log(JSON.stringify({ message: localized(parseError(text), texts) }));
}
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	status, _, stderr := call(t, dir, "", "typescript", "-o", "errors.ts", "shapes.yaml")
	require.Equal(t, exitClean, status, stderr)
	run(t, dir, tsc, append(strict, "read.ts")...)
	tests := []struct{ code, context, want string }{
		{"SHAPE_BROKEN", `{"text":"a\u202eb\u001b[1mc\nd","word":"RED","count":-1234567,"wide":9007199254740993,` +
			`"share":0.5,"flag":true,"wait":"1m0.4s","at":"2026-01-02T03:04:05.120Z","list":["x","\u0007"],` +
			`"raw":{"a":1}}`,
			`a\u202ebc` + "\nd|" + `a\u202ebc|"a\u202eb\x1b[1mc\nd"|RED|` + "\u061c-١٬٢٣٤٬٥٦٧|" +
				"٩٬٠٠٧٬١٩٩٬٢٥٤٬٧٤٠٬٩٩٣|٠٫٥|" + `true|1m|2026-01-02T03:04:05.12Z|x, \x07|٢|{"a":1}`},
		{"SHAPE_BROKEN", `{"text":"a\rb\u0007\u000b\u200b\u2028é","word":"RED","wide":1}`,
			`a\rb\x07\x0b` + "\u200b\u2028é|a|" + `"a\rb\a\v\u200b\u2028é"|RED|١`},
		{"SHAPE_LATE", `{"wide":0,"wait":"1h5s","list":["x"]}`, "z|٣٬٦٠٥|١ by 1h0m5s"},
		{"SHAPE_LATE", `{"wide":-1,"wait":"-999.6ms","flag":false}`, "o|\u061c-٠٫٩٩٩٦ by -1s|false"},
		{"SHAPE_LATE", `{"wide":1000000,"wait":"1.5µs","list":[]}`, "x|٠٫٠٠٠٠٠١٥ by 1.5µs"},
		{"SHAPE_LATE", `{"wide":18000003,"wait":"250ns"}`, "f|٠٫٠٠٠٠٠٠٢٥ by 250ns"},
		{"SHAPE_LATE", `{"wide":111,"wait":null}`, "m"},
		{"SIZE_ZERO", `{}`, "sent"},
		{"SHAPE_UNKNOWN", `{}`, "sent"},
	}
	var inputs []any
	for _, tt := range tests {
		inputs = append(inputs, `{"code":"`+tt.code+`","message":"sent","context":`+tt.context+`}`)
	}
	for i, got := range decoded(t, dir, "read.js", inputs...) {
		assert.Equal(t, tests[i].want, got["message"], tests[i].context)
	}
}
