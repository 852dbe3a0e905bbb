package workspace

import (
	"context"

	"github.com/errgen/errgen/runtime/executor"
)

func (s *Space) Seal(ctx context.Context) error                   { return s.BeforeCall(ctx) }
func (s *Space) Adopt(context.Context) error                      { return nil }
func (s *Space) Guard(context.Context) ([]executor.Change, error) { return nil, nil }
