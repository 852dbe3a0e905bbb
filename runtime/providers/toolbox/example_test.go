package toolbox_test

import (
	"context"
	"fmt"
	"os"

	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// A model can change the files that the guard allows.
func Example() {
	dir, err := os.MkdirTemp("", "tools")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	guard, err := scope.New(scope.Config{Forbidden: []string{".env"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := toolbox.New(ctx, toolbox.Options{Dir: dir, Guard: guard})
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
	// scope scope: forbidden: a tool was asked to change .env
}
