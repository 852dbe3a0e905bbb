package main

import (
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOwnFailures(t *testing.T) {
	config := func(kind, errno, text string, pairs ...string) taxonomy.Evidence {
		return taxonomy.Evidence{Source: "config", Op: "load_config", Type: kind, Errno: errno, Text: text,
			Attributes: attrs(pairs...)}
	}
	git := func(op, text string, files ...string) taxonomy.Evidence {
		return taxonomy.Evidence{Source: "git", Op: op, ExitCode: taxonomy.Some(128), Text: text, Files: files}
	}
	scope := func(op, kind, mode string, files ...string) taxonomy.Evidence {
		return taxonomy.Evidence{Source: "scope", Op: op, Type: kind, Files: files,
			Attributes: attrs("scope_mode", mode)}
	}
	validator := func(op string, change func(ev *taxonomy.Evidence)) taxonomy.Evidence {
		return with(
			taxonomy.Evidence{Source: "validator", Op: op, Type: "exit", ExitCode: taxonomy.Some(2),
				Output: "--- FAIL: TestX", Attributes: attrs("command", "make test")}, change)
	}
	asItIs := func(*taxonomy.Evidence) {}
	checkFailures(t, []failure{
		{
			name: "A34 A141: a wrong setting",
			ev: config("invalid", "", "", "path", "aidf.yml", "field", "retries", "value", "-1", "expected",
				"a number from 0"),
			code: "CONFIG_INVALID", reaction: "stop_all",
			message: `cannot run: setting retries is "-1", expected a number from 0`,
			context: `{"configPath":"aidf.yml","field":"retries"}`,
		},
		{
			name: "A35 A138: no file", ev: config("missing", "", "", "path", "aidf.yml"),
			code: "CONFIG_MISSING", reaction: "stop_all", message: "configuration file not found: aidf.yml",
			context: `{"configPath":"aidf.yml"}`,
		},
		{name: "B-A41: only what does not exist is missing", ev: config("", "ENOENT", "", "path", "aidf.yml"),
			code: "CONFIG_MISSING", reaction: "stop_all"},
		{
			name: "B-A41: a file that may not be read is not", ev: config("", "EACCES", "", "path", "aidf.yml"),
			code: "PERMISSION_FILE_ACCESS", reaction: "stop", message: "no access to aidf.yml",
			context: `{"resource":"aidf.yml","provider":"config"}`,
		},
		{name: "B-A41: whatever the loader says", ev: config("missing", "EACCES", ""), code: "PERMISSION_FILE_ACCESS",
			reaction: "stop"},
		{name: "B-A41: a directory is not", ev: config("", "EISDIR", "", "path", "aidf.yml"), code: "CONFIG_INVALID",
			reaction: "stop_all"},
		{name: "B-A41: a broken disk is not", ev: config("", "EIO", "", "path", "aidf.yml"), code: "CONFIG_INVALID",
			reaction: "stop_all"},
		{
			name: "A36 A140: an unset variable", ev: config("unset_variable", "", "", "env_var", "ANTHROPIC_API_KEY"),
			code: "CONFIG_ENV_VAR_MISSING", reaction: "stop_all",
			message: "environment variable ANTHROPIC_API_KEY is not set", context: `{"envVar":"ANTHROPIC_API_KEY"}`,
		},
		{
			name: "A37 A139: no YAML",
			ev:   config("parse", "", "yaml: line 3: did not find expected key", "path", "aidf.yml"),
			code: "CONFIG_PARSE_ERROR", reaction: "stop_all",
			message: "configuration file aidf.yml cannot be parsed: yaml: line 3: did not find expected key",
			context: `{"configPath":"aidf.yml","rawError":"yaml: line 3: did not find expected key"}`,
		},
		{
			name: "A42: skipping the checks is refused",
			ev: taxonomy.Evidence{Source: "executor", Op: "prepare", Type: "skip_denied",
				Attributes: attrs("resource", "claude-cli")},
			code: "PERMISSION_SKIP_DENIED", reaction: "stop",
			message: "skipping permission checks was denied for claude-cli",
		},
		{
			name: "A38: the commit",
			ev:   git("commit", "fatal: Unable to create '.git/index.lock': File exists.", "a.go"),
			code: "GIT_COMMIT_FAILED", retryable: true, reaction: "repeat",
			message: "git commit failed: fatal: Unable to create '.git/index.lock': File exists.",
			context: `{"operation":"commit","files":["a.go"],"rawError":"fatal: Unable to create '.git/index.lock': ` +
				`File exists."}`,
		},
		{
			name: "A39: the push", ev: git("push", "fatal: Authentication failed"), code: "GIT_PUSH_FAILED",
			retryable: true, reaction: "repeat",
			context: `{"operation":"push","rawError":"fatal: Authentication failed"}`,
		},
		{name: "A39: a push over HTTP that is refused", ev: git("push", "HTTP 403 Forbidden"), code: "GIT_PUSH_FAILED",
			retryable: true, reaction: "repeat"},
		{name: "A39: the pull request", ev: with(git("pr", ""), func(ev *taxonomy.Evidence) { ev.Status = 422 }),
			code: "GIT_PUSH_FAILED", retryable: true, reaction: "repeat"},
		{
			name: "A40 A109: the revert",
			ev:   with(git("revert", "permission denied", "a.go"), func(ev *taxonomy.Evidence) { ev.Errno = "EACCES" }),
			code: "GIT_REVERT_FAILED", reaction: "stop_all",
			context: `{"operation":"revert","files":["a.go"],"rawError":"permission denied"}`,
		},
		{name: "A40: what is not saved is not reverted", ev: git("save", "error: unable to write file"),
			code: "GIT_REVERT_FAILED", reaction: "stop_all"},
		{
			name: "A124 B-A23: the search for changes",
			ev: taxonomy.Evidence{Source: "git", Op: "detect_changes", Type: "start",
				Text: "fork/exec git: resource temporarily unavailable"},
			code: "GIT_STATUS_FAILED", retryable: true, reaction: "again",
			context: `{"operation":"status","rawError":"fork/exec git: resource temporarily unavailable"}`,
		},
		{name: "A124 B-A23: git is not there",
			ev: taxonomy.Evidence{Source: "git", Op: "detect_changes", Type: "not_found"}, code: "GIT_STATUS_FAILED",
			retryable: true, reaction: "again"},
		{
			name: "A31 A134: a forbidden file", ev: scope("scope", "forbidden", "strict", ".env", "go.sum"),
			code: "SCOPE_FORBIDDEN", retryable: true, reaction: "undo",
			message: "2 file(s) in forbidden scope: .env, go.sum",
			context: `{"files":[".env","go.sum"],"scopeMode":"strict","decision":"BLOCK"}`,
		},
		{
			name: "A32 A134: a file that is not allowed", ev: scope("scope", "outside_allowed", "ask", "a.md"),
			code: "SCOPE_OUTSIDE_ALLOWED", retryable: true, reaction: "undo",
			context: `{"files":["a.md"],"scopeMode":"ask","decision":"BLOCK"}`,
		},
		{
			name: "A33 A135: no", ev: scope("ask", "denied", "ask", "go.mod"), code: "SCOPE_USER_DENIED",
			reaction: "undo_and_stop",
			message:  "user denied scope changes for: go.mod",
			context:  `{"files":["go.mod"],"scopeMode":"ask","decision":"ASK_USER"}`,
		},
		{name: "B-A17: nobody to ask", ev: scope("ask", "unattended", "ask", "go.mod"), code: "SCOPE_USER_DENIED",
			reaction: "undo_and_stop"},
		{name: "B-A17: nobody answers", ev: scope("ask", "timeout", "ask", "go.mod"), code: "SCOPE_USER_DENIED",
			reaction: "undo_and_stop"},
		{
			name: "A28 A136: before the commit", ev: validator("validate_pre_commit", asItIs),
			code: "VALIDATION_PRE_COMMIT", retryable: true, reaction: "correct",
			message: `pre-commit validation failed: "make test" exited with code 2`,
			context: `{"command":"make test","exitCode":2,"output":"--- FAIL: TestX","phase":"pre_commit"}`,
		},
		{name: "A29: before the push", ev: validator("validate_pre_push", asItIs), code: "VALIDATION_PRE_PUSH",
			retryable: true, reaction: "correct"},
		{name: "A30 B-A16: before the pull request", ev: validator("validate_pre_pr", asItIs),
			code: "VALIDATION_PRE_PR", retryable: true, reaction: "correct"},
		{
			name: "A28: a command that was killed has no exit code",
			ev: validator(
				"validate_pre_commit",
				func(ev *taxonomy.Evidence) { ev.ExitCode, ev.Signal = taxonomy.Opt[int]{}, "SIGKILL" }),
			code: "VALIDATION_PRE_COMMIT", retryable: true, reaction: "correct",
			message: `pre-commit validation failed: "make test" exited with code -1`,
		},
		{
			name: "A28: tests about rate limits", ev: validator(
				"validate_pre_commit",
				func(ev *taxonomy.Evidence) { ev.Text = "429 Too Many Requests\nClaude usage limit reached" }),
			code: "VALIDATION_PRE_COMMIT", retryable: true, reaction: "correct",
		},
		{
			name: "A27: a command that does not end", ev: validator("validate_pre_commit", func(ev *taxonomy.Evidence) {
				ev.Type, ev.Attributes = "timeout", attrs("command", "make test", "timeout_ms", "600000")
			}),
			code: "OPERATION_TIMEOUT", retryable: true, reaction: "again", context: `{"timeoutMs":600000}`,
		},
		{
			name: "no code for a budget: it is a policy",
			ev:   taxonomy.Evidence{Source: "budget", Op: "budget", Type: "exceeded", Text: "12.40 of 12.00 USD"},
			code: "PERMISSION_COMMAND_BLOCKED", reaction: "stop",
			message: "command blocked by policy budget: 12.40 of 12.00 USD",
			context: `{"policy":"budget","provider":"budget","reason":"12.40 of 12.00 USD"}`,
		},
		{
			name: "A44: a lock that another run holds",
			ev: taxonomy.Evidence{Source: "executor", Op: "lock", Text: "held by run 7",
				Attributes: attrs("path", ".errgen/lock")},
			code: "PERMISSION_FILE_ACCESS", reaction: "stop",
			message: "no access to .errgen/lock: held by run 7",
			context: `{"resource":".errgen/lock","reason":"held by run 7","provider":"executor"}`,
		},
		{
			name: "B-A39: a run that cannot go on",
			ev: taxonomy.Evidence{Source: "executor", Op: "resume", Type: "refused",
				Text: "the run was begun with another task"},
			code: "CONFIG_INVALID", reaction: "stop_all", message: "cannot run: the run was begun with another task",
		},
		{
			name: "B-A39: a state that is damaged",
			ev: taxonomy.Evidence{Source: "executor", Op: "resume", Type: "refused",
				Text: "read run 7: unexpected end of JSON input", Attributes: attrs("path", "7.json")},
			code: "CONFIG_INVALID", reaction: "stop_all",
			message: "cannot run: read run 7: unexpected end of JSON input",
			context: `{"configPath":"7.json","rawError":"read run 7: unexpected end of JSON input"}`,
		},
		{
			name: "A44: the executor's own files",
			ev:   taxonomy.Evidence{Source: "state", Op: "state_write", Text: "database or disk is full"},
			code: "PERMISSION_FILE_ACCESS", reaction: "stop", message: "no access: database or disk is full",
		},
		{
			name: "a side operation over HTTP is judged as any request",
			ev:   taxonomy.Evidence{Source: "notify", Op: "notify", Status: 503},
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff",
			context: `{"provider":"notify","statusCode":503}`,
		},
	})
}
