package main

import (
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// judge classifies the result of an operation. The explanation is empty if the operation succeeded,
// whatever it printed.
func judge(ev *taxonomy.Evidence, table taxonomy.Table) detect.Explanation {
	if succeeded(ev) {
		return detect.Explanation{}
	}
	return errs.Explain(ev, detect.WithTable(table))
}

// succeeded reports whether a process exited with 0 and the evidence names no other failure.
func succeeded(ev *taxonomy.Evidence) bool {
	code, exited := ev.ExitCode.Get()
	return exited && code == 0 && ev.Type == "" && ev.Status == 0 && ev.Code == "" && ev.Signal == "" && ev.Errno == ""
}
