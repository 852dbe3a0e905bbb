package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/errs/messages"
)

// reader prints the messages, in each language, of the problem documents in a file.
const reader = `import { readFileSync } from "node:fs";
import { localized, parseError, resolution } from "./errors.js";
import * as de from "./errors.de.js";
import * as fr from "./errors.fr.js";
import * as pl from "./errors.pl.js";
const sent: string[] = JSON.parse(readFileSync("sent.json", "utf8"));
console.log(JSON.stringify(sent.map((text) => {
  const error = parseError(text);
  return [de, fr, pl].map((language) => localized(error, language.texts)).concat(resolution(error, pl.texts) ?? "");
})));
`

// A front end shows the messages that the server sends.
func TestTypeScriptMessages(t *testing.T) {
	tsc, err := filepath.Abs("../../build/node/node_modules/.bin/tsc")
	require.NoError(t, err)
	if _, err := os.Stat(tsc); err != nil {
		if os.Getenv("ERRGEN_NODE") == "required" {
			t.Fatal(err)
		}
		t.Skip(`run "make node" to test with Node: `, err)
	}
	violations := make([]taxonomy.Violation, 25)
	failures := []error{errs.NewOrderNotFound("o-\u202e1"), errs.NewOrderNotFound(""), errs.NewStoreDown(),
		errs.NewInvalid(violations[:1]), errs.NewInvalid(violations[:3]), errs.NewInvalid(violations[:5]),
		errs.NewInvalid(violations[:22]), errs.NewInvalid(violations)}
	for row := range errs.Table.Taxonomy.Codes() {
		failures = append(failures, errs.Table.Taxonomy.New(row, nil))
	}
	var sent []string
	var want [][]string
	for _, failure := range failures {
		w := httptest.NewRecorder()
		problem.Write(w, httptest.NewRequest("GET", "/", nil), failure, problem.ByTable(errs.Table))
		sent = append(sent, w.Body.String())
		var texts []string
		for _, language := range []string{"de", "fr", "pl"} {
			_, text := languages.Message([]string{language}, errs.Table.Public(failure))
			texts = append(texts, text)
		}
		advice := ""
		for _, text := range messages.Pl.Codes {
			if text.Code == errs.Table.Public(failure).Code() {
				advice = text.Resolution
			}
		}
		want = append(want, append(texts, advice))
	}
	dir := t.TempDir()
	run := func(name string, args ...string) []byte {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err, "%s", out)
		return out
	}
	file := filepath.Join(dir, "errors.ts")
	out, err := exec.Command("go", "tool", "errgen", "typescript", "-o", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	page, err := os.ReadFile("../../docs/languages.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(page), "```ts show.ts\n")
	example, _, ends := strings.Cut(example, "```\n")
	require.True(t, found && ends)
	inputs, err := json.Marshal(sent)
	require.NoError(t, err)
	for name, text := range map[string]string{"package.json": `{"type": "module"}`, "sent.json": string(inputs),
		"read.ts": reader, "show.ts": example, "node.d.ts": `declare module "node:fs" {
  function readFileSync(name: string, encoding: string): string;
}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	run(tsc, "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noUnusedLocals",
		"--noUnusedParameters", "--noPropertyAccessFromIndexSignature", "--verbatimModuleSyntax", "--declaration",
		"--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext", "read.ts", "show.ts", "node.d.ts")
	var got [][]string
	require.NoError(t, json.Unmarshal(run("node", "read.js"), &got))
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i], got[i], sent[i])
	}
}
