package filejournal

import (
	"errors"
	"maps"
	"strconv"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	sourceExecutor = "executor"
	sourceState    = "state"
	opPrepare      = "prepare"
	opLock         = "lock"
	opResume       = "resume"
	opWrite        = "state_write"
	typeRefused    = "refused"
)

// evidence returns err as evidence about the file at path.
func evidence(source, op, path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = source, op
	ev.Attributes = maps.Clone(ev.Attributes)
	if ev.Attributes == nil {
		ev.Attributes = make(map[string]string)
	}
	ev.Attributes["path"] = path
	return &ev
}

// unreadable returns evidence that the journal at path cannot be gone on with.
func unreadable(path string, err error) *taxonomy.Evidence {
	ev := evidence(sourceExecutor, opResume, path, err)
	if d, ok := errors.AsType[*damage](err); ok {
		ev.Type = typeRefused
		ev.Text = "journal " + path + ", " + d.Error()
		ev.Attributes["line"] = strconv.Itoa(d.line)
	}
	return ev
}
