package mcperr_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/mcperr"
)

type room struct {
	ID string `json:"id"`
}

// bookRoom is a tool. The room is taken.
func bookRoom(context.Context, *mcp.CallToolRequest, room) (*mcp.CallToolResult, room, error) {
	return nil, room{}, booking.NewRoomTaken()
}

// A tool returns an error of a taxonomy, and a client gets it back.
func Example() {
	server := mcp.NewServer(&mcp.Implementation{Name: "rooms", Version: "1"}, nil)
	server.AddReceivingMiddleware(mcperr.Server(booking.Table))
	mcp.AddTool(server, &mcp.Tool{Name: "book"}, bookRoom)

	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	client.AddSendingMiddleware(mcperr.Client(booking.Table, booking.SourceCalendar, mcperr.Servers(booking.Table)))

	ctx := context.Background()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		fmt.Println(err)
		return
	}
	session, err := client.Connect(ctx, here, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "book", Arguments: room{ID: "r-1"}})
	fmt.Println(err, errors.Is(err, booking.CodeRoomTaken))
	// Output: room is taken true
}
