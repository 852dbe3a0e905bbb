package main

import (
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// judge says what became of a step. Only failures are classified, and a failure that nothing
// describes stays one: it becomes UNCLASSIFIED.
func judge(ev *taxonomy.Evidence, table taxonomy.Table) detect.Explanation {
	if succeeded(ev) {
		return detect.Explanation{}
	}
	return errs.Explain(ev, detect.WithTable(table))
}

// succeeded reports whether an operation ended with 0 and nobody says that something failed
// nevertheless. What it wrote to standard error does not matter then. Who checks, reviews or plans
// only ever reports findings.
func succeeded(ev *taxonomy.Evidence) bool {
	if ev.Source != "step" && ev.Source != "agent" {
		return false
	}
	code, exited := ev.ExitCode.Get()
	return exited && code == 0 && !reported(ev)
}

// reported reports whether whoever watched the operation says that something failed.
func reported(ev *taxonomy.Evidence) bool {
	return ev.Type != "" || ev.Status != 0 || ev.Code != "" || ev.Signal != "" || ev.Errno != ""
}
