package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// night is a provider with a configured name that the taxonomy does not contain.
const night = "night-agent"

// vocabulary is what an executor can report: operations, who reports, and the types beside none.
var vocabulary = []struct {
	ops, sources, types []string
}{
	{[]string{"load_config"}, []string{"config"}, []string{"missing", "parse", "unset_variable", "invalid"}},
	{[]string{"prepare", "lock"}, []string{"executor"}, nil},
	{[]string{"resume"}, []string{"executor"}, []string{"interrupted", "refused"}},
	{[]string{"available"}, providers, []string{"timeout", "not_found", "start", "network"}},
	{[]string{"detect_changes", "save", "revert"}, []string{"git"}, nil},
	{[]string{"scope"}, []string{"scope"}, []string{"forbidden", "outside_allowed"}},
	{[]string{"ask"}, []string{"scope"}, []string{"denied", "unattended"}},
	{[]string{"budget"}, []string{"budget"}, []string{"exceeded", "unknown_cost"}},
	{[]string{"call"}, providers, []string{"timeout", "not_found", "start", "network", "stream", "tool_arguments"}},
	{[]string{"validate_pre_commit", "validate_pre_push", "validate_pre_pr"}, []string{"validator"},
		[]string{"exit", "timeout"}},
	{[]string{"commit", "deliver", "push", "pr"}, []string{"git"}, nil},
	{[]string{"file_task"}, []string{"executor"}, nil},
	{[]string{"notify"}, []string{"notify"}, nil},
	{[]string{"state_write"}, []string{"state"}, nil},
}

var providers = []string{"claude-cli", "anthropic-api", "openai-api", night}

// word is one word of the vocabulary, and what must become of it when nothing else is known.
type word struct {
	op, source, kind string
	code, reaction   string
}

var words = []word{
	{"load_config", "config", "", "CONFIG_INVALID", "stop_all"},
	{"load_config", "config", "missing", "CONFIG_MISSING", "stop_all"},
	{"load_config", "config", "parse", "CONFIG_PARSE_ERROR", "stop_all"},
	{"load_config", "config", "unset_variable", "CONFIG_ENV_VAR_MISSING", "stop_all"},
	{"load_config", "config", "invalid", "CONFIG_INVALID", "stop_all"},
	{"prepare", "executor", "", "CONFIG_INVALID", "stop_all"},
	{"lock", "executor", "", "PERMISSION_FILE_ACCESS", "stop"},
	{"resume", "executor", "", "CONFIG_INVALID", "stop_all"},
	{"resume", "executor", "interrupted", "PROVIDER_CRASH", "again"},
	{"resume", "executor", "refused", "CONFIG_INVALID", "stop_all"},

	{"available", "claude-cli", "", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "claude-cli", "timeout", "OPERATION_TIMEOUT", "again"},
	{"available", "claude-cli", "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "claude-cli", "start", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "claude-cli", "network", "PROVIDER_API_ERROR", "backoff"},
	{"available", "anthropic-api", "", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "anthropic-api", "timeout", "OPERATION_TIMEOUT", "again"},
	{"available", "anthropic-api", "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "anthropic-api", "start", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "anthropic-api", "network", "PROVIDER_API_ERROR", "backoff"},
	{"available", "openai-api", "", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "openai-api", "timeout", "OPERATION_TIMEOUT", "again"},
	{"available", "openai-api", "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "openai-api", "start", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", "openai-api", "network", "PROVIDER_API_ERROR", "backoff"},
	{"available", night, "", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", night, "timeout", "OPERATION_TIMEOUT", "again"},
	{"available", night, "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", night, "start", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"available", night, "network", "PROVIDER_API_ERROR", "backoff"},

	{"detect_changes", "git", "", "GIT_STATUS_FAILED", "again"},
	{"save", "git", "", "GIT_REVERT_FAILED", "stop_all"},
	{"revert", "git", "", "GIT_REVERT_FAILED", "stop_all"},
	{"scope", "scope", "", "GIT_STATUS_FAILED", "again"},
	{"scope", "scope", "forbidden", "SCOPE_FORBIDDEN", "undo"},
	{"scope", "scope", "outside_allowed", "SCOPE_OUTSIDE_ALLOWED", "undo"},
	{"ask", "scope", "", "SCOPE_USER_DENIED", "undo_and_stop"},
	{"ask", "scope", "denied", "SCOPE_USER_DENIED", "undo_and_stop"},
	{"ask", "scope", "unattended", "SCOPE_USER_DENIED", "undo_and_stop"},

	{"budget", "budget", "", "PERMISSION_COMMAND_BLOCKED", "stop"},
	{"budget", "budget", "exceeded", "PERMISSION_COMMAND_BLOCKED", "stop"},
	{"budget", "budget", "unknown_cost", "PERMISSION_COMMAND_BLOCKED", "stop"},

	{"call", "claude-cli", "", "PROVIDER_CRASH", "again"},
	{"call", "claude-cli", "timeout", "ITERATION_TIMEOUT", "again"},
	{"call", "claude-cli", "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"call", "claude-cli", "start", "PROVIDER_CRASH", "again"},
	{"call", "claude-cli", "network", "PROVIDER_API_ERROR", "backoff"},
	{"call", "claude-cli", "stream", "PROVIDER_CRASH", "again"},
	{"call", "claude-cli", "tool_arguments", "PROVIDER_CRASH", "again"},
	{"call", "anthropic-api", "", "PROVIDER_CRASH", "again"},
	{"call", "anthropic-api", "timeout", "OPERATION_TIMEOUT", "again"},
	{"call", "anthropic-api", "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"call", "anthropic-api", "start", "PROVIDER_CRASH", "again"},
	{"call", "anthropic-api", "network", "PROVIDER_API_ERROR", "backoff"},
	{"call", "anthropic-api", "stream", "PROVIDER_API_ERROR", "backoff"},
	{"call", "anthropic-api", "tool_arguments", "PROVIDER_CRASH", "again"},
	{"call", "openai-api", "", "PROVIDER_CRASH", "again"},
	{"call", "openai-api", "timeout", "OPERATION_TIMEOUT", "again"},
	{"call", "openai-api", "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"call", "openai-api", "start", "PROVIDER_CRASH", "again"},
	{"call", "openai-api", "network", "PROVIDER_API_ERROR", "backoff"},
	{"call", "openai-api", "stream", "PROVIDER_API_ERROR", "backoff"},
	{"call", "openai-api", "tool_arguments", "PROVIDER_CRASH", "again"},
	{"call", night, "", "PROVIDER_CRASH", "again"},
	{"call", night, "timeout", "OPERATION_TIMEOUT", "again"},
	{"call", night, "not_found", "PROVIDER_NOT_AVAILABLE", "stop_all"},
	{"call", night, "start", "PROVIDER_CRASH", "again"},
	{"call", night, "network", "PROVIDER_API_ERROR", "backoff"},
	{"call", night, "stream", "PROVIDER_API_ERROR", "backoff"},
	{"call", night, "tool_arguments", "PROVIDER_CRASH", "again"},

	{"validate_pre_commit", "validator", "", "VALIDATION_PRE_COMMIT", "correct"},
	{"validate_pre_commit", "validator", "exit", "VALIDATION_PRE_COMMIT", "correct"},
	{"validate_pre_commit", "validator", "timeout", "OPERATION_TIMEOUT", "again"},
	{"validate_pre_push", "validator", "", "VALIDATION_PRE_PUSH", "correct"},
	{"validate_pre_push", "validator", "exit", "VALIDATION_PRE_PUSH", "correct"},
	{"validate_pre_push", "validator", "timeout", "OPERATION_TIMEOUT", "again"},
	{"validate_pre_pr", "validator", "", "VALIDATION_PRE_PR", "correct"},
	{"validate_pre_pr", "validator", "exit", "VALIDATION_PRE_PR", "correct"},
	{"validate_pre_pr", "validator", "timeout", "OPERATION_TIMEOUT", "again"},

	{"commit", "git", "", "GIT_COMMIT_FAILED", "repeat"},
	{"deliver", "git", "", "GIT_PUSH_FAILED", "repeat"},
	{"push", "git", "", "GIT_PUSH_FAILED", "repeat"},
	{"pr", "git", "", "GIT_PUSH_FAILED", "repeat"},
	{"file_task", "executor", "", "PERMISSION_FILE_ACCESS", "stop"},
	{"notify", "notify", "", "PROVIDER_CRASH", "again"},
	{"state_write", "state", "", "PERMISSION_FILE_ACCESS", "stop"},
}

func (w word) name() string { return fmt.Sprintf("%s by %s: %q", w.op, w.source, w.kind) }

func (w word) evidence() taxonomy.Evidence {
	return taxonomy.Evidence{Op: w.op, Source: w.source, Type: w.kind}
}

func TestVocabularyIsComplete(t *testing.T) {
	var said []string
	for _, v := range vocabulary {
		for _, op := range v.ops {
			for _, source := range v.sources {
				for _, kind := range append([]string{""}, v.types...) {
					said = append(said, word{op: op, source: source, kind: kind}.name())
				}
			}
		}
	}
	var judged []string
	for _, w := range words {
		judged = append(judged, w.name())
	}
	assert.ElementsMatch(t, said, judged)
}

func TestVocabulary(t *testing.T) {
	for _, w := range words {
		t.Run(w.name(), func(t *testing.T) {
			ev := w.evidence()
			w.assert(t, errs.ClassifyEvidence(&ev))
			w.assert(t, errs.Classify(&ev))
			w.assert(t, errs.Classify(fmt.Errorf("task 42: %w", &ev)))
		})
	}
}

func (w word) assert(t *testing.T, err error) {
	t.Helper()
	assert.Equal(t, w.code, taxonomy.CodeOf(err))
	assert.Equal(t, w.reaction, errs.Table.Reaction(err).Name)
}

// TestVocabularyMayGrow: an unknown type is classified like a missing one.
func TestVocabularyMayGrow(t *testing.T) {
	for _, w := range words {
		if w.kind != "" {
			continue
		}
		w.kind = "something_new"
		t.Run(w.name(), func(t *testing.T) {
			ev := w.evidence()
			w.assert(t, errs.ClassifyEvidence(&ev))
		})
	}
}

// TestOurOwnPartsAreNotMistakenForProviders: failures of the executor's own parts are classified by
// source and operation. Their text can be the output of tests, with statuses and error messages in
// it.
func TestOurOwnPartsAreNotMistakenForProviders(t *testing.T) {
	noises := map[string]func(ev *taxonomy.Evidence){
		"a text with a status":    func(ev *taxonomy.Evidence) { ev.Text = "429 Too Many Requests" },
		"a text about limits":     func(ev *taxonomy.Evidence) { ev.Text = "Claude usage limit reached" },
		"a status":                func(ev *taxonomy.Evidence) { ev.Status = 401 },
		"an exit code":            func(ev *taxonomy.Evidence) { ev.ExitCode = taxonomy.Some(128) },
		"a signal":                func(ev *taxonomy.Evidence) { ev.Signal = "SIGKILL" },
		"an error of the network": func(ev *taxonomy.Evidence) { ev.Errno = "ECONNRESET" },
		"a code of an API":        func(ev *taxonomy.Evidence) { ev.Code = "insufficient_quota" },
		"an iteration":            func(ev *taxonomy.Evidence) { ev.Attributes = map[string]string{"iteration": "3"} },
	}
	for _, w := range words {
		switch w.op {
		case "call", "available", "notify": // these do talk to others
			continue
		}
		for name, noise := range noises {
			t.Run(w.name()+" with "+name, func(t *testing.T) {
				ev := w.evidence()
				noise(&ev)
				w.assert(t, errs.ClassifyEvidence(&ev))
			})
		}
	}
}
