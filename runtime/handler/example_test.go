package handler_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/handler"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type nobody struct{}

func (nobody) Recover(context.Context, taxonomy.RecoveryRequest) error {
	return fmt.Errorf("nobody mends it")
}

func Example() {
	var recoverer executor.Recoverer = nobody{}
	reporter := report.NewReporter(report.ReporterOptions{})
	groups := report.NewGroups(report.GroupOptions{})
	ctx := context.Background()
	list := func(context.Context) error { return &taxonomy.Evidence{Source: "anthropic-api", Status: 429} }

	table, err := errs.Table.Profile("strict")
	if err != nil {
		panic(err)
	}
	h, err := handler.New(handler.Config{
		Table:     table,
		Classify:  detect.Classifier(errs.Explain, detect.WithTable(table)),
		Recoverer: recoverer,
		Sink:      report.Sinks{reporter, groups},
	})
	if err != nil {
		panic(err)
	}
	out := h.Handle(ctx, handler.Op{Name: "list issues", Source: "github", Do: list})
	if !out.Success() {
		fmt.Println(out.Err)
	}
	fmt.Println(reporter.Metrics().TotalErrors)
	// Output:
	// provider anthropic-api limits the rate
	// 1
}

// TestDocIsTheExample: what the package's documentation shows is what is compiled here.
func TestDocIsTheExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	shown := regexp.MustCompile(`(?m)^//\t(.*)$`).FindAllStringSubmatch(string(doc), -1)
	require.NotEmpty(t, shown)
	for _, line := range shown {
		if code := strings.TrimSpace(line[1]); code != "..." {
			assert.Contains(t, string(example), code)
		}
	}
}
