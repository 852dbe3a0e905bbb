package gentest_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy/gentest"
)

func TestNamed(t *testing.T) {
	opError := func(err error) bool { _, ok := errors.AsType[*net.OpError](err); return ok }
	netError := func(err error) bool { _, ok := errors.AsType[net.Error](err); return ok }
	eof := func(err error) bool { return errors.Is(err, io.EOF) }
	for _, tt := range []struct {
		text            string
		err             error
		eof, op, netErr bool
	}{
		{text: "io.EOF", err: gentest.Is("io.EOF", io.EOF), eof: true},
		{text: "other", err: gentest.Is("other", fs.ErrClosed)},
		{text: "*net.OpError", err: gentest.As[*net.OpError]("*net.OpError", nil), op: true},
		{text: "net.Error", err: gentest.As[net.Error]("net.Error", nil), netErr: true},
		{text: "both", err: gentest.As[*net.OpError]("both", io.EOF), op: true, eof: true},
	} {
		for _, err := range []error{tt.err, fmt.Errorf("wrapped: %w", tt.err)} {
			assert.Equal(t, []bool{tt.eof, tt.op, tt.netErr}, []bool{eof(err), opError(err), netError(err)}, tt.text)
		}
		assert.EqualError(t, tt.err, tt.text)
	}
}
