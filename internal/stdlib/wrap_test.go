package stdlib_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/stdlib"
)

func TestWrap(t *testing.T) {
	opErr, _ := stdlib.Make("*net.OpError")
	both := stdlib.Wrap(opErr, io.EOF)
	assert.True(t, stdlib.Is(both, "*net.OpError"))
	assert.True(t, stdlib.Is(both, "io.EOF"))
	assert.False(t, stdlib.Is(both, "io.ErrClosedPipe"))
	assert.Equal(t, opErr.Error()+": EOF", both.Error())
	assert.Equal(t, io.EOF, stdlib.Wrap(nil, io.EOF))
	assert.Equal(t, opErr, stdlib.Wrap(opErr, nil))
	assert.NoError(t, stdlib.Wrap(nil, nil))
}

func TestWrapExpr(t *testing.T) {
	outer, _ := stdlib.GoExpr("os/user.UnknownUserError")
	inner, _ := stdlib.GoExpr("io.EOF")
	assert.Equal(t, stdlib.Expr{
		Imports: []string{"fmt", "io", "os/user"},
		Code:    `fmt.Errorf("%w: %w", user.UnknownUserError("nobody"), io.EOF)`,
	}, stdlib.WrapExpr(outer, inner))
	assert.Equal(t, inner, stdlib.WrapExpr(stdlib.Expr{}, inner))
	assert.Equal(t, outer, stdlib.WrapExpr(outer, stdlib.Expr{}))
}
