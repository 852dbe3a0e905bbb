package details_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/internal/details"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A method is that of an operation, with the slash of gRPC and Connect.
func TestUndeclaredCode(t *testing.T) {
	for _, tt := range []struct {
		name, method string
		err          error
		hide         bool
		sent         string
		code         code.Code
		operation    string // in the report
	}{
		{"declared", "/orders.v1.Orders/Get", orders.NewOrderNotFound(), false, "ORDER_NOT_FOUND",
			code.Code_NOT_FOUND, ""},
		{"internal", "/orders.v1.Orders/Get", orders.NewStoreDown(), false, "INTERNAL", code.Code_INTERNAL, ""},
		{"undeclared", "/orders.v1.Orders/Get", orders.NewOrderConflict(), false, "ORDER_CONFLICT",
			code.Code_FAILED_PRECONDITION, "GetOrder"},
		{"hidden", "/orders.v1.Orders/Get", orders.NewOrderConflict(), true, "INTERNAL", code.Code_INTERNAL,
			"GetOrder"},
		{"declared by another operation", "/orders.v1.Orders/Place", orders.NewOrderConflict(), false, "ORDER_CONFLICT",
			code.Code_FAILED_PRECONDITION, ""},
		{"no operation", "/orders.v1.Orders/List", orders.NewOrderConflict(), false, "ORDER_CONFLICT",
			code.Code_FAILED_PRECONDITION, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var reported error
			opts := []rpc.Option{rpc.ByTable(orders.Table),
				rpc.OnError(func(_ context.Context, _ string, err error) { reported = err })}
			if tt.hide {
				opts = append(opts, rpc.HideUndeclared())
			}
			a := details.New(opts...).Start(t.Context(), tt.method, "").Fail(tt.err)
			assert.Equal(t, tt.code, a.Code)
			assert.Equal(t, tt.sent, a.Details[0].(*errdetails.ErrorInfo).Reason)
			assert.ErrorIs(t, reported, tt.err)
			u, ok := errors.AsType[*taxonomy.Undeclared](reported)
			assert.Equal(t, tt.operation != "", ok)
			if ok {
				assert.Equal(t, tt.operation, u.Operation)
			}
		})
	}
}
