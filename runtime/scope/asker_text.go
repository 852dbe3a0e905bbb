package scope

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on what a question shows.
const (
	maxShownPaths = 50
	maxShownPath  = 500 // bytes
)

// questionText returns the question. What a provider has chosen in it, names of files above all,
// cannot command the terminal nor look like another line.
func questionText(q executor.Question, all bool) string {
	var b strings.Builder
	about := ""
	if q.Task != "" {
		about = " for task " + shownName(q.Task)
	}
	fmt.Fprintf(&b, "\nRun %s asks%s. These files were changed and need a person's consent:\n", shownName(q.Run), about)
	paths := q.Paths
	if !all {
		paths = paths[:min(len(paths), maxShownPaths)]
	}
	for _, path := range paths {
		fmt.Fprintf(&b, "  %s\n", shownName(path))
	}
	choices := "[y/N]"
	if left := len(q.Paths) - len(paths); left > 0 {
		fmt.Fprintf(&b, "  and %d more\n", left)
		choices = "[y/N, l lists all]"
	}
	fmt.Fprintf(&b, "Allow all %d of them? %s ", len(q.Paths), choices)
	return b.String()
}

// shownName returns a name as it is if it is plain, otherwise quoted; of a long one the beginning
// and the end.
func shownName(name string) string {
	if len(name) > maxShownPath {
		half := maxShownPath / 2
		left := fmt.Sprintf(" …%d bytes… ", len(name)-2*half)
		return shownName(name[:half]) + left + shownName(name[len(name)-half:])
	}
	return text.Name(name)
}
