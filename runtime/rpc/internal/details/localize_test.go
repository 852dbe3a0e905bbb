package details_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The header of a Connect call selects the language of its LocalizedMessage.
func TestConnectLocalize(t *testing.T) {
	s := httptest.NewServer(connect.NewUnaryHandler("/a.B/C",
		func(context.Context, *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
			return nil, orders.NewOrderNotFound()
		}, connect.WithInterceptors(connecterr.Interceptor(rpc.ByTable(orders.Table), connecterr.Localize(
			func(accept []string, v taxonomy.PublicView) (language, message string) {
				return "de", v.Code() + " for " + strings.Join(accept, ",")
			})))))
	defer s.Close()
	request := connect.NewRequest(&emptypb.Empty{})
	request.Header().Set("Accept-Language", "fr-CH, de;q=0.8")
	client := connect.NewClient[emptypb.Empty, emptypb.Empty](s.Client(), s.URL+"/a.B/C")
	_, err := client.CallUnary(t.Context(), request)
	var failed *connect.Error
	require.ErrorAs(t, err, &failed)
	list := failed.Details()
	last, err := list[len(list)-1].Value()
	require.NoError(t, err)
	assert.Equal(t, "ORDER_NOT_FOUND for fr-CH, de;q=0.8", last.(*errdetails.LocalizedMessage).Message)
}
