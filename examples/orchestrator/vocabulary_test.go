package main_test

import (
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// from is evidence of an operation that an escalation carries out itself.
func from(source, op, kind string, change ...func(*taxonomy.Evidence)) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: source, Op: op, Type: kind, Attributes: map[string]string{"step": "2"}}
	for _, c := range change {
		c(ev)
	}
	return ev
}

func about(name, value string) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) { ev.Attributes[name] = value }
}

func status(code int) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) { ev.Status = code }
}

// O22, O23: what a plan takes for granted, before the first step and right before each.
func TestPrerequisites(t *testing.T) {
	for _, op := range []string{"prepare", "verify"} {
		t.Run(op, func(t *testing.T) {
			check(t, []row{
				{"a file", from("plan", op, "not_found", about("kind", "file")), prerequisite, false, findOut},
				{"a file, as the system says it", from("plan", op, "not_found", about("kind", "file"), errno("ENOENT")),
					prerequisite, false, findOut},
				{"a directory", from("plan", op, "not_found", about("kind", "directory")), prerequisite, false,
					findOut},
				{"a command", from("plan", op, "not_found", about("kind", "program")), prerequisite, false, findOut},
				{"a host", from("plan", op, "not_found", about("kind", "address")), prerequisite, false, findOut},
				{"a variable", from("plan", op, "unset_variable", about("kind", "env")), prerequisite, false, findOut},
				{"a file that may not be read", from("plan", op, "denied", about("kind", "file")), prerequisite, false,
					findOut},
				{"the same, as the system says it", from("plan", op, "denied", about("kind", "file"), errno("EACCES")),
					prerequisite, false, findOut},
				{"an address that refuses",
					from("plan", op, "network", about("kind", "address"), errno("ECONNREFUSED")), prerequisite, true,
					tryAgain},
				{"an address behind a network that is down", from("plan", op, "network", about("kind", "address")),
					prerequisite, true, tryAgain},
				{"an address that is slow", from("plan", op, "timeout", about("kind", "address")), prerequisite, true,
					tryAgain},
				{"an address that starts", from("plan", op, "not_ready", about("kind", "address")), prerequisite, true,
					tryAgain},
				{"a service that fails", from("plan", op, "not_ready", status(500)), prerequisite, true, tryAgain},
				{"a service that is away", from("plan", op, "not_ready", status(503)), prerequisite, true, tryAgain},
				{"a service that is busy", from("plan", op, "not_ready", status(429)), prerequisite, true, tryAgain},
				{"a service that knows no such page", from("plan", op, "not_ready", status(404)), prerequisite, false,
					findOut},
			})
		})
	}
}

// B-O02: the faults of a plan are found before the first step.
func TestPlanFaults(t *testing.T) {
	for _, fault := range []string{"invalid", "silent_plan", "unclear_criteria", "conflicting_requirements",
		"several_readings"} {
		check(t, []row{{fault, from("plan", "prepare", fault), ambiguous, false, findOut}})
	}
	check(t, []row{
		{"B-O02 asked first before the first step", from("plan", "prepare", "silent_plan", errno("ENOENT")), ambiguous,
			false, findOut},
		{"B-O02 a plan that cannot be read, too", from("plan", "prepare", "invalid", errno("ENOENT")), ambiguous, false,
			findOut},
	})
}

// B-O10: what keeps a claim from counting.
func TestAcceptance(t *testing.T) {
	check(t, []row{
		{"a gate that fails", from("check", "gate", "", exit(1)), execution, false, analyse},
		{"a gate that prints what its tests are about", from(
			"check", "gate", "", exit(1), text("open a.txt: no such file or directory")), execution, false, analyse},
		{"a gate that is not there", from("check", "gate", "", exit(127)), prerequisite, false, findOut},
		{"a gate that may not be run", from("check", "gate", "", exit(126)), prerequisite, false, findOut},
		{"a gate that cannot be started", from("check", "gate", "not_found", errno("ENOENT")), prerequisite, false,
			findOut},
		{"a gate that takes too long", from("check", "gate", "timeout"), execution, true, runAgain},
		{"a gate that a signal ends", from("check", "gate", "", func(ev *taxonomy.Evidence) { ev.Signal = "SIGKILL" }),
			execution, false, analyse},

		{"O51 format", from("check", "criteria", "format"), unexpected, false, verifyIt},
		{"O52 sections", from("check", "criteria", "missing_sections"), unexpected, false, verifyIt},
		{"O53 count", from("check", "criteria", "count", about("expected", "5"), about("actual", "3")), unexpected,
			false, verifyIt},
		{"O54 size", from("check", "criteria", "size"), unexpected, false, verifyIt},
		{"O55 content", from("check", "criteria", "content"), unexpected, false, verifyIt},
		{"O55 content that speaks of a missing file",
			from("check", "criteria", "content", text("a.md: no such file or directory")), unexpected, false, verifyIt},
		{"a criterion's command that is not there", from("check", "criteria", "content", exit(127)), prerequisite,
			false, findOut},

		{"files that checks leave behind", from("check", "clean", "unclean"), unexpected, false, verifyIt},
		{"a commit that fails", from("git", "commit", "", exit(1), text("error: gpg failed to sign the data")),
			execution, false, analyse},
		{"a commit that another git keeps from it",
			from("git", "commit", "", exit(128), text("fatal: Unable to create '/r/.git/index.lock': File exists.")),
			execution, true, runAgain},
		{"a commit that takes too long", from("git", "commit", "timeout"), execution, true, runAgain},
		{"a commit without a right", from("git", "commit", "", errno("EACCES")), prerequisite, false, findOut},

		{"O35 a review", from("review", "review", "contradiction"), misaligned, false, verifyIt},
		{"O35 a review of its own words", from("review", "review", ""), misaligned, false, verifyIt},
	})
}

// What comes of a call besides an answer is the step's, where it is not the tier's.
func TestCalls(t *testing.T) {
	check(t, []row{
		{"without an end", from("agent", "execute", "timeout"), execution, true, runAgain},
		{"without a report", from("agent", "execute", "no_report"), unexpected, false, verifyIt},
		{"forbidden files", from("scope", "scope", "forbidden"), unexpected, false, verifyIt},
		{"other files", from("scope", "scope", "outside_allowed"), unexpected, false, verifyIt},
		{"a person says no", from("scope", "ask", "denied"), unexpected, false, verifyIt},
		{"no person is there", from("scope", "ask", "unattended"), unexpected, false, verifyIt},
		{"a guard that cannot judge", from("scope", "scope", "invalid"), unexpected, false, verifyIt},
		{"B-O03 files are no misalignment", from("scope", "scope", "drift"), unexpected, false, verifyIt},
		{"git cannot say what was changed", from("git", "detect_changes", "", exit(128)), execution, false, analyse},
		{"git cannot be started", from("git", "save", "start"), execution, false, analyse},
		{"git cannot revert", from("git", "revert", "", errno("EACCES")), prerequisite, false, findOut},
	})
}
