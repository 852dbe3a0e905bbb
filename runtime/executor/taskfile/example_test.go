package taskfile_test

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/executor/taskfile"
)

func Example() {
	task, err := taskfile.Parse(strings.NewReader(`# TASK: Name the units

## Scope

### Allowed
- ` + "`src/**`" + `

### Forbidden
- ` + "`.env`" + `
`))
	fmt.Println(task.Title, task.Allowed, task.Forbidden, err)
	// Output: Name the units [src/**] [.env] <nil>
}
