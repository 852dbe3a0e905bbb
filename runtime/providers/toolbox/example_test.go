package toolbox_test

import (
	"context"
	"fmt"
	"os"

	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A model can change the files that Write allows.
func Example() {
	dir, err := os.MkdirTemp("", "tools")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	tools, err := toolbox.New(ctx, toolbox.Options{
		Dir: dir,
		Write: func(_ context.Context, path string) error { // WithinScope makes such a function
			if path == ".env" {
				return &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden", Files: []string{path}}
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()

	result, err := tools.Call(ctx, "write_file", []byte(`{"path": "a.txt", "content": "hello"}`))
	fmt.Println(result.Text, err)
	_, err = tools.Call(ctx, "write_file", []byte(`{"path": ".env", "content": "hello"}`))
	fmt.Println(err)
	// Output:
	// wrote 5 bytes to a.txt <nil>
	// scope scope: forbidden
}
