package signature

import (
	"strings"
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
)

func library(t testing.TB) []signatures.Signature {
	t.Helper()
	list, err := signatures.Library()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func evidence(x *signatures.Example) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: x.Source, Op: x.Op, Status: x.Status, Type: x.Type, Code: x.Code, Signal: x.Signal,
		Errno: x.Errno, Text: x.Text, Attributes: x.Attributes}
	if x.ExitCode != nil {
		ev.ExitCode = taxonomy.Some(*x.ExitCode)
	}
	return ev
}

// Every signature matches its examples and none of its counter-examples, and extracts the
// attributes that the examples want.
func TestExamples(t *testing.T) {
	for _, s := range library(t) {
		m, err := NewMatcher([]signatures.Signature{s})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Examples {
			x := &s.Examples[i]
			if m.Match(evidence(x)) == nil {
				t.Errorf("%s: example %d does not match: %+v", s.Name, i+1, *x)
			}
			got := Extract(&s, x.Text)
			for name, want := range x.Want {
				if got[name] != want {
					t.Errorf("%s: example %d: attribute %s = %q, want %q", s.Name, i+1, name, got[name], want)
				}
			}
		}
		for i := range s.NotExamples {
			if m.Match(evidence(&s.NotExamples[i])) != nil {
				t.Errorf("%s: counter-example %d matches: %+v", s.Name, i+1, s.NotExamples[i])
			}
		}
	}
}

// In the complete library the winner for an example is its signature, or the more general or more
// special one that same lists.
func TestExamplesWin(t *testing.T) {
	same := map[string]string{"too_many_requests": "rate_limit", "grpc_resource_exhausted": "rate_limit"}
	list := library(t)
	m, err := NewMatcher(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		for i := range s.Examples {
			got := "none"
			if winner := m.Match(evidence(&s.Examples[i])); winner != nil {
				got = winner.Name
			}
			if got != s.Name && got != same[s.Name] {
				t.Errorf("%s: example %d is won by %s: %+v", s.Name, i+1, got, s.Examples[i])
			}
		}
	}
}

// The signatures that are over others form no circle, so that their order is certain.
func TestOverIsAcyclic(t *testing.T) {
	over := map[string][]string{}
	for _, s := range library(t) {
		over[s.Name] = s.Over
	}
	state := map[string]int{} // 1: on the path, 2: done
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		switch state[name] {
		case 1:
			t.Errorf("circle: %s", strings.Join(append(path, name), " over "))
		case 0:
			state[name] = 1
			for _, next := range over[name] {
				visit(next, append(path, name))
			}
			state[name] = 2
		}
	}
	for name := range over {
		visit(name, nil)
	}
}

// An exhausted quota is never a rate limit, whatever status, type or text is with it.
func TestQuotaIsNoRateLimit(t *testing.T) {
	m, err := NewMatcher(library(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, ev := range map[string]*taxonomy.Evidence{
		"status and text": {Status: 429, Text: "You exceeded your current quota, please check your plan."},
		"status and code": {Status: 429, Code: "insufficient_quota"},
		"status, type and text": {Status: 429, Type: "rate_limit_error",
			Text: `{"error":{"message":"Monthly quota exceeded","code":"quota_exceeded"}}`},
		"text":              {Text: "RateLimitError: Error code: 429 - {'error': {'code': 'insufficient_quota'}}"},
		"credit with a 400": {Status: 400, Text: "Your credit balance is too low"},
		"RESOURCE_EXHAUSTED": {Status: 429, Code: "RESOURCE_EXHAUSTED",
			Text: "Quota exceeded for metric: requests per day"},
	} {
		if got := m.Match(ev); got == nil || got.Name != "quota_exhausted" {
			t.Errorf("%s: %+v, want quota_exhausted", name, got)
		}
	}
}
