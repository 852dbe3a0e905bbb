package filestore_test

import (
	"context"
	"fmt"
	"os"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
)

type done struct{}

func (done) Name() string { return "claude-cli" }

func (done) Available(context.Context) error { return nil }

func (done) Call(context.Context, executor.Request) (executor.Answer, error) {
	return executor.Answer{Text: "TASK COMPLETE"}, nil
}

// A program finds the runs of an earlier process in the directory.
func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: done{},
		Store:  filestore.New(dir),
		Decode: func(b []byte) (error, error) { return errs.UnmarshalError(b) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e.Run(ctx, executor.Task{Run: "nightly-42", ID: "42", Prompt: "Name the units."})

	runs, err := filestore.New(dir).Runs(ctx)
	fmt.Println(runs[0].Run, runs[0].End, err)
	// Output: nightly-42 completed <nil>
}
