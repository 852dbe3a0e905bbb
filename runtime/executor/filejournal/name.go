package filejournal

import (
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const journalSuffix = ".journal"

// refusedName returns evidence that a run cannot have this name.
func refusedName(dir, run string, err error) *taxonomy.Evidence {
	ev := evidence(sourceExecutor, opPrepare, dir, err)
	ev.Text = "" // the attributes say it
	ev.Attributes["field"], ev.Attributes["value"], ev.Attributes["expected"] = "run", run, filelock.NameExpected
	return ev
}
