package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// tree is a working tree with a few files in it.
func tree(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"AGENTS.md": "# Agents\n\n## Rules\n", "report.json": "{", "list.txt": "a\nb\nc\n",
		"run.sh": "#!/bin/sh\nexit 1\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func verifier(t *testing.T) *verify.Verifier {
	v, err := verify.New(verify.Options{Dir: tree(t)})
	require.NoError(t, err)
	return v
}

// unused is an address that nobody listens at: no port that anybody is given.
const unused = "127.0.0.1:1"

// O22, O23: what is found out about prerequisites on this machine, as it is reported.
func TestVerifiedPrerequisites(t *testing.T) {
	t.Setenv("ORCHESTRATOR_EMPTY", "")
	tests := []struct {
		name      string
		p         plan.Prerequisite
		reason    errs.PrerequisiteReason
		retryable bool
		reaction  done
	}{
		{"O21 a file that the plan misnames", plan.Prerequisite{Kind: plan.File, Name: "CLAUDE.md"},
			errs.PrerequisiteReasonMissingFile, false, findOut},
		{"a directory", plan.Prerequisite{Kind: plan.Directory, Name: "docs"}, errs.PrerequisiteReasonMissingFile,
			false, findOut},
		{"a directory that is a file", plan.Prerequisite{Kind: plan.Directory, Name: "AGENTS.md"},
			errs.PrerequisiteReasonMissingFile, false, findOut},
		{"a command", plan.Prerequisite{Kind: plan.Program, Name: "no-such-command-anywhere"},
			errs.PrerequisiteReasonMissingCommand, false, findOut},
		{"a command of the tree", plan.Prerequisite{Kind: plan.Program, Name: "./build.sh"},
			errs.PrerequisiteReasonMissingCommand, false, findOut},
		{"a command of the tree that may not be run", plan.Prerequisite{Kind: plan.Program, Name: "./run.sh"},
			errs.PrerequisiteReasonPermissionDenied, false, findOut},
		{"a variable", plan.Prerequisite{Kind: plan.Variable, Name: "ORCHESTRATOR_EMPTY"},
			errs.PrerequisiteReasonMissingVariable, false, findOut},
		{"an address", plan.Prerequisite{Kind: plan.Address, Name: unused}, errs.PrerequisiteReasonConnectionRefused,
			true, tryAgain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.reason == errs.PrerequisiteReasonPermissionDenied {
				t.Skip("nothing but its name says there whether a file may be run")
			}
			got := verifier(t).Prerequisites(t.Context(), []plan.Prerequisite{tt.p})
			require.Len(t, got, 1)
			require.NotNil(t, got[0].Failed, "it is met")
			check(t, []row{{"", got[0].Failed, prerequisite, tt.retryable, tt.reaction}})
			e, ok := errors.AsType[*errs.PrerequisiteError](errs.Classify(got[0].Failed))
			require.True(t, ok)
			assert.Equal(t, taxonomy.Some(tt.reason), e.Reason)
		})
	}
}

// B-O10: what gate and criteria find out, as it is reported.
func TestVerifiedWork(t *testing.T) {
	gate := func(limit time.Duration, args ...string) func(*testing.T) []*taxonomy.Evidence {
		return func(t *testing.T) []*taxonomy.Evidence {
			return verifier(t).Gate(t.Context(), []plan.Command{{Args: args, Limit: limit}})
		}
	}
	criterion := func(c plan.Criterion) func(*testing.T) []*taxonomy.Evidence {
		return func(t *testing.T) []*taxonomy.Evidence {
			return verifier(t).Criteria(t.Context(), []plan.Criterion{c})
		}
	}
	command := func(args ...string) *plan.Command { return &plan.Command{Args: args} }
	tests := []struct {
		name     string
		verify   func(*testing.T) []*taxonomy.Evidence
		code     error
		again    bool
		reaction done
	}{
		{"O45 a gate that fails", gate(0, "sh", "-c", "echo 'a.md: No such file or directory' >&2; exit 1"), execution,
			false, analyse},
		{"a gate that is not there", gate(0, "no-such-command-anywhere"), prerequisite, false, findOut},
		{"B-O07 a gate whose shell does not find it", gate(0, "sh", "-c", "no-such-command-anywhere"), prerequisite,
			false, findOut},
		{"a gate that may not be run", gate(0, "./run.sh"), prerequisite, false, findOut},
		{"a gate without a program", gate(0), prerequisite, false, findOut},
		{"a gate past its limit", gate(10*time.Millisecond, "sleep", "600"), execution, true, runAgain},
		{"a gate that a signal ends", gate(0, "sh", "-c", "kill -9 $$"), execution, false, analyse},

		{"O51 format", criterion(plan.Criterion{Kind: plan.Format, Path: "report.json", Text: "json"}), unexpected,
			false, verifyIt},
		{"O52 sections", criterion(plan.Criterion{Kind: plan.Sections, Path: "AGENTS.md", Texts: []string{"Risks"}}),
			unexpected, false, verifyIt},
		{"O53 count", criterion(plan.Criterion{Kind: plan.Count, Path: "list.txt", Text: ".", Min: 5, Max: 5}),
			unexpected, false, verifyIt},
		{"O54 size", criterion(plan.Criterion{Kind: plan.Size, Path: "list.txt", Min: 1024}), unexpected, false,
			verifyIt},
		{"O55 content", criterion(plan.Criterion{Kind: plan.Content, Path: "AGENTS.md", Text: "Rollback"}), unexpected,
			false, verifyIt},
		{"a file that was to be made", criterion(plan.Criterion{Kind: plan.Exists, Path: "made.md"}), unexpected, false,
			verifyIt},
		{"a file without content to count",
			criterion(plan.Criterion{Kind: plan.Count, Path: "made.md", Text: ".", Min: 1}), unexpected, false,
			verifyIt},
		{"a command that says no",
			criterion(
				plan.Criterion{Kind: plan.Passes, Command: command(
					"sh", "-c", "echo 'cat: a: No such file or directory' >&2; exit 1")}), unexpected, false, verifyIt},
		{"a command that is not there",
			criterion(plan.Criterion{Kind: plan.Passes, Command: command("no-such-command-anywhere")}), prerequisite,
			false, findOut},
		{"a command that its shell does not find", criterion(
			plan.Criterion{Kind: plan.Passes, Command: command("sh", "-c", "no-such-command-anywhere")}), prerequisite,
			false, findOut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.verify(t)
			require.Len(t, got, 1)
			check(t, []row{{"", got[0], tt.code, tt.again, tt.reaction}})
		})
	}
}
