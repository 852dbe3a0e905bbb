package signature

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"sort"
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// classes are the classes of the measured messages, and the signatures that are right for them.
// Related signatures describe the same message at another level; they count as found, not as exact.
var classes = map[string]struct{ right, related []string }{
	"rate_limit":                 {[]string{"rate_limit", "quota_per_minute", "too_many_requests", "throttled"}, nil},
	"quota_or_billing_exhausted": {[]string{"quota_exhausted"}, nil},
	"overloaded":                 {[]string{"overloaded"}, nil},
	"context_too_long":           {[]string{"context_too_long"}, nil},
	"content_refused":            {[]string{"content_refused"}, nil},
	"not_found_model":            {[]string{"model_not_found"}, nil},
	"auth_invalid_key": {[]string{"invalid_api_key", "unauthorized", "expired_credentials",
		"login_failed"}, nil},
	"invalid_request":   {[]string{"invalid_request"}, nil},
	"permission_denied": {[]string{"forbidden", "grpc_permission_denied"}, nil},
	"server_error":      {[]string{"server_error", "bad_gateway", "unavailable", "gateway_timeout"}, nil},
	"network": {[]string{"dns_failure", "connection_refused", "connection_reset", "unreachable", "tls_failure",
		"proxy_failure", "connection_failed", "connection_timeout", "grpc_unavailable"}, []string{"timeout"}},
	"timeout":            {[]string{"timeout", "gateway_timeout", "grpc_deadline_exceeded", "statement_timeout"}, nil},
	"process_crash":      {[]string{"crash", "killed", "out_of_memory"}, nil},
	"cli_not_found":      {[]string{"command_not_found"}, nil},
	"cancelled":          {[]string{"cancelled"}, nil},
	"file_not_found":     {[]string{"file_not_found"}, nil},
	"permission_file":    {[]string{"permission_denied"}, nil},
	"disk_full":          {[]string{"disk_full"}, nil},
	"git_lock":           {[]string{"git_lock"}, nil},
	"git_conflict":       {[]string{"merge_conflict"}, nil},
	"git_push_rejected":  {[]string{"push_rejected"}, nil},
	"git_auth":           {[]string{"git_auth"}, nil},
	"hook_failed":        {[]string{"hook_failed"}, nil},
	"git_other":          {[]string{"not_a_repository", "nothing_to_commit", "detached_head"}, nil},
	"build_failed":       {[]string{"compile_error"}, []string{"type_error"}},
	"type_error":         {[]string{"type_error"}, []string{"compile_error"}},
	"lint_error":         {[]string{"lint_finding"}, nil},
	"test_failure":       {[]string{"test_failure"}, nil},
	"dependency_missing": {[]string{"dependency_missing", "dependency_conflict"}, nil},
	"config_invalid":     {[]string{"config_invalid"}, nil},
	"db_unique":          {[]string{"unique_violation"}, nil},
	"db_deadlock":        {[]string{"deadlock"}, nil},
	"db_locked":          {[]string{"database_locked"}, nil},
	"lock":               {[]string{"lock_held", "git_lock", "database_locked"}, nil},
	"not_found":          {[]string{"resource_not_found", "not_found"}, nil},
}

type message struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	Source   string `json:"source"`
	Class    string `json:"class"`
	Status   int    `json:"status"`
	ExitCode *int   `json:"exit_code"`
}

// TestMeasure prints how many messages of a file the library recognises, by class: once by their
// texts only, and once with their statuses and exit codes. ERRGEN_MESSAGES names the file, one JSON
// object a line: text, class and, if known, source, status and exit_code; the class none is that of
// texts that only speak of failures.
func TestMeasure(t *testing.T) {
	path := os.Getenv("ERRGEN_MESSAGES")
	if path == "" {
		t.Skip("ERRGEN_MESSAGES does not name a file of messages")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var messages []message
	for in := bufio.NewScanner(f); in.Scan(); {
		var m message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m)
	}
	matcher, err := NewMatcher(library(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, structured := range []bool{false, true} {
		measure(t, matcher, messages, structured)
	}
}

func measure(t *testing.T, matcher *Matcher, messages []message, structured bool) {
	type score struct{ all, exact, related, wrong, missed int }
	scores := map[string]*score{}
	total := &score{}
	for _, m := range messages {
		s := scores[m.Class]
		if s == nil {
			s = &score{}
			scores[m.Class] = s
		}
		ev := &taxonomy.Evidence{Source: m.Source, Text: m.Text}
		if structured {
			ev.Status = m.Status
			if m.ExitCode != nil && *m.ExitCode != 0 {
				ev.ExitCode = taxonomy.Some(*m.ExitCode)
			}
		}
		got := "none"
		if found := matcher.Match(ev); found != nil {
			got = found.Name
		}
		s.all++
		class := classes[m.Class]
		switch {
		case m.Class == "none" && got == "none", slices.Contains(class.right, got):
			s.exact++
		case slices.Contains(class.related, got):
			s.related++
			t.Logf("related: %s is %s", m.ID, got)
		case got == "none":
			s.missed++
			t.Logf("missed: %s (structured: %t)", m.ID, structured)
		default:
			s.wrong++
			t.Logf("wrong: %s is %s (structured: %t)", m.ID, got, structured)
		}
	}
	names := make([]string, 0, len(scores))
	for name := range scores {
		names = append(names, name)
	}
	sort.Strings(names)
	t.Logf("structured: %t", structured)
	t.Logf("%-28s %5s %6s %8s %6s %7s %7s", "class", "all", "exact", "related", "wrong", "missed", "recall")
	for _, name := range names {
		s := scores[name]
		t.Logf("%-28s %5d %6d %8d %6d %7d %7.2f", name, s.all, s.exact, s.related, s.wrong, s.missed,
			float64(s.exact+s.related)/float64(s.all))
		if name != "none" {
			total.all, total.exact, total.related = total.all+s.all, total.exact+s.exact, total.related+s.related
			total.wrong, total.missed = total.wrong+s.wrong, total.missed+s.missed
		}
	}
	t.Logf("%-28s %5d %6d %8d %6d %7d %7.2f", "all but none", total.all, total.exact, total.related, total.wrong,
		total.missed, float64(total.exact+total.related)/float64(total.all))
}
