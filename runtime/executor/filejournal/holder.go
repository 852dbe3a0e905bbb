package filejournal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/durable"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// holder says who has a run. It is for people; the lock decides.
type holder struct {
	PID   int       `json:"pid"`
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
	b, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
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
	since := h.Since.Format(time.RFC3339)
	ev.Text = fmt.Sprintf("run %s is held by process %d on %s since %s", run, h.PID, h.Host, since)
	ev.Attributes["pid"], ev.Attributes["host"], ev.Attributes["since"] = strconv.Itoa(h.PID), h.Host, since
	return ev
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
