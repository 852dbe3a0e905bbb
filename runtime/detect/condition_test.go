package detect_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// one returns rules with a single one, which has the conditions.
func one(conditions ...detect.Condition) *detect.Rules {
	return &detect.Rules{
		Rules: []detect.Rule{{Conditions: conditions}},
		Is: func(err error, name string) bool {
			return name == "io.EOF" && errors.Is(err, io.EOF) || name == "panics" &&
				err.(interface{ Never() bool }).Never()
		},
	}
}

func TestConditions(t *testing.T) {
	type c = detect.Condition
	type e = taxonomy.Evidence
	for _, test := range []struct {
		name string
		c    c
		yes  []e
		no   []e
	}{
		{
			"a source",
			c{Key: detect.Source, Any: []string{"git", "gh"}},
			[]e{{Source: "git"}, {Source: "gh", Op: "push"}},
			[]e{{}, {Source: "Git"}, {Op: "git"}},
		},
		{
			"not an operation",
			c{Key: detect.Op, Not: []string{"push"}},
			[]e{{Op: "commit"}},
			[]e{{}, {Op: "push"}},
		},
		{
			"the beginning of a type",
			c{Key: detect.Type, Prefix: []string{"over", "rate_"}},
			[]e{{Type: "overloaded"}, {Type: "rate_limit"}, {Type: "over"}},
			[]e{{}, {Type: "rate"}, {Type: "is over"}},
		},
		{
			"the beginning of a type, and another one not",
			c{Key: detect.Type, Prefix: []string{"over"}, Not: []string{"overdue"}},
			[]e{{Type: "overloaded"}},
			[]e{{}, {Type: "overdue"}, {Type: "x"}},
		},
		{
			"a signal, whatever",
			c{Key: detect.Signal, Presence: detect.Present},
			[]e{{Signal: "SIGKILL"}},
			[]e{{}},
		},
		{
			"no signal",
			c{Key: detect.Signal, Presence: detect.Absent},
			[]e{{}, {Source: "x"}},
			[]e{{Signal: "SIGKILL"}},
		},
		{
			"names of one system error",
			c{Key: detect.Errno, Any: []string{"EAGAIN"}},
			[]e{{Errno: "EAGAIN"}, {Errno: "EWOULDBLOCK"}},
			[]e{{}, {Errno: "EPERM"}},
		},
		{
			"another name of a system error in the rule",
			c{Key: detect.Errno, Not: []string{"EAGAIN"}},
			[]e{{Errno: "EPERM"}},
			[]e{{}, {Errno: "EAGAIN"}, {Errno: "EWOULDBLOCK"}},
		},
		{
			"names of one signal",
			c{Key: detect.Signal, Any: []string{"SIGABRT"}},
			[]e{{Signal: "SIGABRT"}, {Signal: "SIGIOT"}},
			[]e{{Signal: "SIGKILL"}},
		},
		{
			"statuses",
			c{Key: detect.Status, AnyNumber: []int{401, 403}},
			[]e{{Status: 401}, {Status: 403}},
			[]e{{}, {Status: 402}, {ExitCode: taxonomy.Some(401)}},
		},
		{
			"bounds of a status",
			c{Key: detect.Status, Min: 500, Max: 599, Bounds: detect.HasMin | detect.HasMax},
			[]e{{Status: 500}, {Status: 599}},
			[]e{{}, {Status: 499}, {Status: 600}},
		},
		{
			"bounds of a status but one",
			c{Key: detect.Status, Min: 400, Max: 499, Bounds: detect.HasMin | detect.HasMax, NotNumber: []int{429}},
			[]e{{Status: 400}, {Status: 499}},
			[]e{{}, {Status: 429}, {Status: 500}},
		},
		{
			"fractions as bounds",
			c{Key: detect.Status, Min: 399.5, Max: 401.5, Bounds: detect.HasMin | detect.HasMax},
			[]e{{Status: 400}, {Status: 401}},
			[]e{{Status: 399}, {Status: 402}},
		},
		{
			"an open bound",
			c{Key: detect.Status, Min: 500, Bounds: detect.HasMin},
			[]e{{Status: 500}, {Status: 1 << 40}},
			[]e{{}, {Status: 499}},
		},
		{
			"statuses that no server sends",
			c{Key: detect.Status, AnyNumber: []int{-1, 5000}},
			[]e{{Status: -1}, {Status: 5000}},
			[]e{{}, {Status: 429}},
		},
		{
			"status 0 is none",
			c{Key: detect.Status, AnyNumber: []int{0}},
			nil,
			[]e{{}, {Status: 429}},
		},
		{
			"an exit code but 0",
			c{Key: detect.ExitCode, NotNumber: []int{0}},
			[]e{{ExitCode: taxonomy.Some(1)}, {ExitCode: taxonomy.Some(-1)}},
			[]e{{}, {ExitCode: taxonomy.Some(0)}},
		},
		{
			"exit code 0",
			c{Key: detect.ExitCode, AnyNumber: []int{0}},
			[]e{{ExitCode: taxonomy.Some(0)}},
			[]e{{}, {ExitCode: taxonomy.Some(1)}},
		},
		{
			"an attribute",
			c{Key: detect.Attribute, Name: "mode", Any: []string{"ci"}},
			[]e{{Attributes: map[string]string{"mode": "ci"}}, {Attributes: map[string]string{"mode": "ci", "x": "y"}}},
			[]e{{}, {Attributes: map[string]string{"mode": "local"}}, {Attributes: map[string]string{"x": "ci"}}},
		},
		{
			"bounds of an attribute",
			c{Key: detect.Attribute, Name: "left", Min: 0, Max: 10, Bounds: detect.HasMin | detect.HasMax},
			[]e{
				{Attributes: map[string]string{"left": "0"}}, {Attributes: map[string]string{"left": "9.5"}},
				{Attributes: map[string]string{"left": "+1e1"}}, {Attributes: map[string]string{"left": ".5"}},
				{Attributes: map[string]string{"left": "5."}},
			},
			[]e{
				{}, {Attributes: map[string]string{"left": "-1"}}, {Attributes: map[string]string{"left": "five"}},
				{Attributes: map[string]string{"left": "0x1"}}, {Attributes: map[string]string{"left": "1_0"}},
				{Attributes: map[string]string{"left": "NaN"}},
				{Attributes: map[string]string{"left": "1e"}}, {Attributes: map[string]string{"left": "1e+"}},
				{Attributes: map[string]string{"left": "."}},
				{Attributes: map[string]string{"left": "-1e999"}}, {Attributes: map[string]string{"left": " 1"}},
				{Attributes: map[string]string{"left": "1 "}},
			},
		},
		{
			"an attribute that is empty is absent",
			c{Key: detect.Attribute, Name: "mode", Presence: detect.Absent},
			[]e{{}, {Attributes: map[string]string{"mode": ""}}},
			[]e{{Attributes: map[string]string{"mode": "ci"}}},
		},
		{
			"an error of the standard library",
			c{Key: detect.Is, Any: []string{"io.EOF", "io.ErrClosedPipe"}},
			[]e{{Err: io.EOF}, {Err: errors.Join(errors.New("x"), io.EOF)}},
			[]e{{}, {Err: io.ErrNoProgress}, {Text: "EOF"}},
		},
		{
			"not an error of the standard library",
			c{Key: detect.As, Not: []string{"io.EOF"}},
			[]e{{Err: io.ErrNoProgress}},
			[]e{{}, {Err: io.EOF}},
		},
		{
			"no error",
			c{Key: detect.Is, Presence: detect.Absent},
			[]e{{}, {Status: 400}},
			[]e{{Err: io.EOF}},
		},
		{
			"methods that panic mean no",
			c{Key: detect.Is, Any: []string{"panics"}},
			nil,
			[]e{{Err: io.EOF}},
		},
		{
			"what can never be",
			c{Key: detect.Type, Any: []string{"x"}, Presence: detect.Absent},
			nil,
			[]e{{}, {Type: "x"}},
		},
		{
			"a text as large as a condition can be",
			c{Key: detect.Code,
				Any: []string{strings.Repeat("a", 40), strings.Repeat("b", 9), "", "ab", "abc", "abcd"}},
			[]e{{Code: strings.Repeat("a", 40)}, {Code: strings.Repeat("b", 9)}, {Code: "ab"}, {Code: "abcd"}},
			[]e{{}, {Code: strings.Repeat("a", 39)}, {Code: "b"}, {Code: "abcde"}},
		},
	} {
		r := one(test.c)
		for _, ev := range test.yes {
			assert.Equal(t, 0, r.Match(&ev, nil), "%s: %+v", test.name, ev)
		}
		for _, ev := range test.no {
			assert.Equal(t, detect.NoRule, r.Match(&ev, nil), "%s: %+v", test.name, ev)
		}
	}
}

func TestConditionsAllHold(t *testing.T) {
	r := one(
		detect.Condition{Key: detect.Source, Any: []string{"git"}},
		detect.Condition{Key: detect.Op, Any: []string{"push", "pull"}},
		detect.Condition{Key: detect.ExitCode, NotNumber: []int{0}},
	)
	yes := taxonomy.Evidence{Source: "git", Op: "pull", ExitCode: taxonomy.Some(1)}
	assert.Equal(t, 0, r.Match(&yes, nil))
	for _, ev := range []taxonomy.Evidence{
		{Source: "gh", Op: "pull", ExitCode: taxonomy.Some(1)},
		{Source: "git", Op: "commit", ExitCode: taxonomy.Some(1)},
		{Source: "git", Op: "pull", ExitCode: taxonomy.Some(0)},
		{Source: "git", Op: "pull"},
	} {
		assert.Equal(t, detect.NoRule, r.Match(&ev, nil), "%+v", ev)
	}
}

func TestCanonicalNames(t *testing.T) {
	for name, want := range map[string]string{
		"EWOULDBLOCK": "EAGAIN", "EDEADLOCK": "EDEADLK", "ENOTSUP": "EOPNOTSUPP", "EAGAIN": "EAGAIN", "": "",
		"other": "other", "SIGIOT": "SIGABRT", "SIGPOLL": "SIGIO", "SIGCLD": "SIGCHLD", "SIGKILL": "SIGKILL",
	} {
		assert.Equal(t, want, detect.Canonical(name))
	}
}
