package filejournal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/durable"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// holder says who has a run. It is for people; the lock decides.
type holder struct {
	PID   int       `json:"pid"`
	Start string    `json:"start,omitempty"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

const maxHolder = 4 << 10

// noteHolder writes down that this process has the run. Nothing depends on it, so that a disk that is full is no reason
// not to go on.
func noteHolder(path string) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	self, _ := proc.Self() // without it the process is taken to be alive
	b, err := json.Marshal(holder{PID: os.Getpid(), Start: self.Start, Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		_ = durable.Replace(path, append(b, '\n'))
	}
}

// held returns evidence that somebody else has the run.
func held(run, lock, note string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: sourceExecutor, Op: opLock,
		Text:       fmt.Sprintf("run %s is held by another process", run),
		Attributes: map[string]string{"path": lock},
	}
	h, ok := readHolder(note)
	if !ok {
		return ev
	}
	if h.dead() {
		ev.Text = fmt.Sprintf("run %s is held by what process %d has started, which had it and has died", run, h.PID)
		ev.Attributes["pid"], ev.Attributes["host"] = strconv.Itoa(h.PID), h.Host
		return ev
	}
	since := h.Since.Format(time.RFC3339)
	ev.Text = fmt.Sprintf("run %s is held by process %d on %s since %s", run, h.PID, h.Host, since)
	ev.Attributes["pid"], ev.Attributes["host"], ev.Attributes["since"] = strconv.Itoa(h.PID), h.Host, since
	return ev
}

// dead reports whether the process has ended, as far as that can be known: it is one of this machine.
func (h holder) dead() bool {
	host, err := os.Hostname()
	return err == nil && host == h.Host && h.Start != "" && !proc.Alive(proc.ID{PID: h.PID, Start: h.Start})
}

func readHolder(path string) (h holder, ok bool) {
	f, err := durable.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return holder{}, false
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxHolder))
	if err != nil || json.Unmarshal(b, &h) != nil {
		return holder{}, false
	}
	return h, true
}
