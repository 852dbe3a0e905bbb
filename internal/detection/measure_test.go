package detection_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// measured is a taxonomy, the sources that its messages have, and the codes that are right for each
// class of messages. A class without a code of its own is not measured.
type measured struct {
	file string
	// sources are by class; "" is for the other classes.
	sources map[string]string
	codes   map[string]string
}

var measuredTaxonomies = []measured{
	{"taxonomy.yaml", map[string]string{"": "claude-cli"}, map[string]string{
		"rate_limit": "PROVIDER_RATE_LIMIT", "quota_or_billing_exhausted": "PROVIDER_API_ERROR",
		"auth_invalid_key": "PERMISSION_API_AUTH", "permission_denied": "PERMISSION_API_AUTH",
		"overloaded": "PROVIDER_API_ERROR", "server_error": "PROVIDER_API_ERROR", "network": "PROVIDER_API_ERROR",
		"context_too_long": "PROVIDER_API_ERROR", "invalid_request": "PROVIDER_API_ERROR",
		"not_found_model": "PROVIDER_API_ERROR", "content_refused": "PROVIDER_API_ERROR",
		"timeout": "OPERATION_TIMEOUT", "cli_not_found": "PROVIDER_NOT_AVAILABLE",
	}},
	{"examples/duyetbot/taxonomy.yaml", map[string]string{
		"": "llm", "network": "", "build_failed": "tool", "type_error": "tool", "lint_error": "tool",
		"test_failure": "tool", "dependency_missing": "tool", "cli_not_found": "tool", "file_not_found": "tool",
		"permission_file": "tool", "none": "",
	}, map[string]string{
		"rate_limit": "LLM_RATE_LIMIT", "quota_or_billing_exhausted": "LLM_QUOTA_EXCEEDED",
		"auth_invalid_key": "LLM_AUTH", "permission_denied": "LLM_AUTH", "overloaded": "LLM_SERVER_ERROR",
		"server_error": "LLM_SERVER_ERROR", "context_too_long": "LLM_INVALID_REQUEST",
		"invalid_request": "LLM_INVALID_REQUEST", "not_found_model": "LLM_INVALID_REQUEST",
		"content_refused": "LLM_INVALID_REQUEST", "timeout": "LLM_TIMEOUT", "network": "NETWORK_ERROR",
		"build_failed": "BUILD_FAILED", "type_error": "TYPE_ERROR", "lint_error": "LINT_ERROR",
		"test_failure": "TEST_FAILURE", "dependency_missing": "DEPENDENCY_ERROR", "cli_not_found": "TOOL_NOT_FOUND",
		"file_not_found": "TOOL_NOT_FOUND", "permission_file": "TOOL_PERMISSION",
	}},
	{"examples/specrunner/taxonomy.yaml", map[string]string{
		"": "agent", "test_failure": "post_done", "lint_error": "post_done",
	}, map[string]string{
		"rate_limit": "RATE_LIMIT", "quota_or_billing_exhausted": "RATE_LIMIT", "timeout": "TIMEOUT",
		"context_too_long": "TASK_FAILED", "test_failure": "TEST_FAILURE", "lint_error": "LINT_FAILURE",
	}},
	{"examples/orchestrator/taxonomy.yaml", map[string]string{
		"": "claude-cli", "dependency_missing": "step", "file_not_found": "step", "permission_file": "step",
		"none": "step",
	}, map[string]string{
		"rate_limit": "TIER_RATE_LIMITED", "quota_or_billing_exhausted": "TIER_REFUSED",
		"auth_invalid_key": "TIER_REFUSED", "permission_denied": "TIER_REFUSED", "overloaded": "TIER_UNAVAILABLE",
		"server_error": "TIER_UNAVAILABLE", "network": "TIER_UNAVAILABLE", "timeout": "TIER_UNAVAILABLE",
		"not_found_model": "TIER_REFUSED", "context_too_long": "TIER_REFUSED", "cli_not_found": "TIER_REFUSED",
		"file_not_found": "PREREQUISITE_FAILURE", "dependency_missing": "PREREQUISITE_FAILURE",
		"permission_file": "PREREQUISITE_FAILURE",
	}},
}

// TestMeasure prints how many messages of a file the taxonomies of this repository recognise by
// their texts, by class: the recall, and the wrong codes. ERRGEN_MESSAGES names the file, which has
// a JSON object with text and class on each line. The class none is that of texts that only speak
// of failures.
func TestMeasure(t *testing.T) {
	path := os.Getenv("ERRGEN_MESSAGES")
	if path == "" {
		t.Skip("ERRGEN_MESSAGES does not name a file of messages")
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var messages []message
	for d := json.NewDecoder(f); d.More(); {
		var m message
		require.NoError(t, d.Decode(&m))
		messages = append(messages, m)
	}
	for _, taxonomy := range measuredTaxonomies {
		taxonomy.measure(t, messages)
	}
}

type message struct{ Text, Class string }

// reads reports whether a rule tests more than the origin of a failure. A rule on a status reads one
// in the text.
func reads(r *model.Rule) bool {
	return len(r.Like)+len(r.Text)+len(r.Contains) > 0 ||
		slices.ContainsFunc(r.Conditions, func(c detect.Condition) bool {
			return c.Key != detect.Source && c.Key != detect.Op
		})
}

func (m *measured) measure(t *testing.T, messages []message) {
	t.Helper()
	src, err := os.ReadFile("../../" + m.file)
	require.NoError(t, err)
	built, findings := check.Load(m.file, src)
	require.NotNil(t, built, "%v", findings)
	judge := detection.NewJudge(built)
	type score struct{ all, right, wrong int }
	scores := make(map[string]*score)
	for _, msg := range messages {
		want, ok := m.codes[msg.Class]
		if !ok && msg.Class != "none" {
			continue
		}
		source, ok := m.sources[msg.Class]
		if !ok {
			source = m.sources[""]
		}
		ev := taxonomy.Evidence{Source: source, Text: msg.Text}
		if source == "claude-cli" {
			ev.Op = "call"
		}
		got := ""
		if rule := judge.Of(&ev).Rule; rule != nil && reads(rule) {
			got = rule.Code.Name
		}
		if scores[msg.Class] == nil {
			scores[msg.Class] = new(score)
		}
		s := scores[msg.Class]
		switch s.all++; got {
		case want:
			s.right++
		case "":
			t.Logf("%s missed %s: %.160q", m.file, msg.Class, msg.Text)
		default:
			s.wrong++
			t.Logf("%s wrong %s: %s %.160q", m.file, msg.Class, got, msg.Text)
		}
	}
	t.Logf("%s\n%-28s %4s %6s %5s", m.file, "class", "all", "recall", "wrong")
	for _, class := range slices.Sorted(maps.Keys(scores)) {
		s := scores[class]
		t.Logf("%-28s %4d %6.2f %5d", class, s.all, float64(s.right)/float64(s.all), s.wrong)
	}
}
