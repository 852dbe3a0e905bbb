package filelock

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Holder describes the process that holds a lock. It is informational: only the lock counts.
type Holder struct {
	PID   int       `json:"pid"`
	Start string    `json:"start,omitempty"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	// Run is the run for which the process took the lock, or empty.
	Run string `json:"run,omitempty"`
}

const maxHolder = 4 << 10

// Dead reports whether the process has ended. It is false for a process of another machine, and if
// the start of the process is unknown.
func (h Holder) Dead() bool {
	host, err := os.Hostname()
	return err == nil && host == h.Host && h.Start != "" && !proc.Alive(proc.ID{PID: h.PID, Start: h.Start})
}

// evidence returns the evidence that the lock at path is held. The text names the resource by what.
// If known is false, h is empty.
func (h Holder) evidence(what, path string, known bool) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: "executor", Op: "lock",
		Text:       what + " is held by another process",
		Attributes: map[string]string{"path": path},
	}
	if !known {
		return ev
	}
	ev.Attributes["pid"], ev.Attributes["host"] = strconv.Itoa(h.PID), h.Host
	if h.Dead() {
		ev.Text = fmt.Sprintf("%s is held by a child of dead process %d", what, h.PID)
		return ev
	}
	since := h.Since.Format(time.RFC3339)
	ev.Text = fmt.Sprintf("%s is held by process %d on %s since %s", what, h.PID, h.Host, since)
	if CheckName(h.Run) == nil {
		ev.Text += " (run " + h.Run + ")"
	}
	ev.Attributes["since"] = since
	return ev
}

// note records this process as the holder. It ignores errors, because the note is informational.
func note(path, run string) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	self, _ := proc.Self() // without its start, the process counts as alive
	b, err := json.Marshal(
		Holder{PID: os.Getpid(), Start: self.Start, Host: host, Since: time.Now().UTC().Truncate(time.Second),
			Run: run})
	if err == nil {
		_ = atomicfile.Replace(path, append(b, '\n'))
	}
}

func read(path string) (h Holder, ok bool) {
	b, err := atomicfile.Read(path, maxHolder)
	if err != nil || json.Unmarshal(b, &h) != nil {
		return Holder{}, false
	}
	return h, true
}
