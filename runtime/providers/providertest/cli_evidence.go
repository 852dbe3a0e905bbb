package providertest

import (
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// CLIStepOf returns the step from which a client of the command line gets the evidence, and false
// when no run of a program is like that: it could not be found or started, or there was no call.
func CLIStepOf(ev taxonomy.Evidence) (CLIStep, bool) {
	if ev.Op != "" && ev.Op != "call" || ev.Errno != "" {
		return CLIStep{}, false
	}
	code, exited := ev.ExitCode.Get()
	switch {
	case ev.Type == "not_found" || ev.Type == "start":
		return CLIStep{}, false
	case ev.Type == "timeout":
		return CLIHang(), true
	case ev.Type == "stream" || exited && code == 0:
		return CLISilent(ev.Text), true
	case ev.Signal != "":
		s := CLICrash(strings.TrimPrefix(ev.Signal, "SIG"))
		s.Stderr = []byte(ev.Text)
		return s, true
	case ev.Status != 0:
		return CLIAPIError(ev.Status, ev.Type, ev.Text), true
	case exited:
		s := CLIFails(ev.Text).Exiting(code)
		if !ev.ResetAt.IsZero() {
			s.Limits = []CLILimit{{Status: "rejected", ResetsAt: ev.ResetAt.Unix(), Kind: "five_hour"}}
		}
		return s, true
	}
	return CLIStep{}, false
}
