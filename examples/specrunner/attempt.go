package main

import (
	"regexp"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// judge says what became of an attempt. Only failures are classified: an agent that finished may have written about
// rate limits all day long. A marker of the agent's says more than what its process exited with.
func judge(ev *taxonomy.Evidence, table taxonomy.Table) detect.Explanation {
	if ev.Source != "agent" {
		if exitedWell(ev) {
			return detect.Explanation{}
		}
		return errs.Explain(ev, detect.In(table))
	}
	marker := lastWord(ev)
	if marker.failed {
		return errs.Explain(marker.into(ev), detect.In(table))
	}
	if marker.complete && !reported(ev) {
		return detect.Explanation{}
	}
	x := errs.Explain(ev, detect.In(table))
	if exitedWell(ev) && x.Outcome == detect.Fallback {
		return detect.Explanation{}
	}
	return x
}

// exitedWell reports whether a process ended with 0, and nobody says that something failed nevertheless.
func exitedWell(ev *taxonomy.Evidence) bool {
	code, exited := ev.ExitCode.Get()
	return exited && code == 0 && !reported(ev)
}

// reported reports whether whoever watched the process says that something failed.
func reported(ev *taxonomy.Evidence) bool {
	return ev.Type != "" || ev.Status != 0 || ev.Code != "" || ev.Signal != "" || ev.Errno != ""
}

// markers are what an agent says of its task, each on a line of its own: a marker that is quoted or explained is none.
var (
	failedMarker   = regexp.MustCompile(`(?m)^[ \t]*TASK_FAILED[ \t]*(?::([^\n]*))?\r?$`)
	completeMarker = regexp.MustCompile(`(?m)^[ \t]*TASK_COMPLETE[ \t]*\r?$`)
)

type verdict struct {
	failed, complete bool
	reason           string
}

// lastWord returns what the agent says of its task. That it failed counts whatever else it says.
func lastWord(ev *taxonomy.Evidence) verdict {
	var v verdict
	for _, said := range []string{ev.Output, ev.Text} {
		if m := failedMarker.FindStringSubmatch(said); m != nil && !v.failed {
			v.failed, v.reason = true, strings.TrimSpace(m[1])
		}
		v.complete = v.complete || completeMarker.MatchString(said)
	}
	return v
}

// into returns ev with what the marker says, where whoever watched the process says nothing itself.
func (v verdict) into(ev *taxonomy.Evidence) *taxonomy.Evidence {
	told := *ev
	if told.Type == "" {
		told.Type = "task_failed"
	}
	if v.reason != "" && ev.Attribute("reason") == "" {
		told.Attributes = map[string]string{"reason": v.reason}
		for name, value := range ev.Attributes {
			told.Attributes[name] = value
		}
	}
	return &told
}
