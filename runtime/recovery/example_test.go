package recovery_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/workspace"
)

// strategies is what a host writes for a taxonomy with the seven strategies and one of its own.
type strategies struct {
	*recovery.Standard
}

func (strategies) AskAPerson(context.Context, taxonomy.RecoveryRequest) error {
	return errors.New("nobody is there")
}

func Example() {
	ctx := context.Background()
	git, err := workspace.Open(ctx, ".", workspace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := recovery.NewTools(recovery.ToolsConfig{Workspace: git, Limit: 5 * time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	standard, err := recovery.New(recovery.Options{
		Tools: tools,
		LintFix: recovery.Fix{
			Commands: []validate.Command{{Args: []string{"npx", "eslint", "--fix", "--", recovery.PlaceholderFiles}}},
			Check:    []validate.Command{{Args: []string{"npx", "eslint", "."}}},
		},
		Installer: &recovery.Installer{
			Ecosystem: recovery.NPM,
			Command:   []string{"npm", "install", "--ignore-scripts", "--", recovery.PlaceholderPackage},
			Allow:     []string{"zod", "@types/node"},
		},
		Recorded: func(r recovery.Record) { fmt.Println(r.Strategy, r.Successful, r.Message) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	own := strategies{standard}
	all := own.Strategies()
	all["ask_a_person"] = own.AskAPerson
	var recoverer executor.Recoverer = recovery.Contain(recovery.ByName(all),
		recovery.ContainOptions{Limit: 20 * time.Minute})
	_ = recoverer // goes into executor.Config; with a generated package a type with its function Recover does
}
