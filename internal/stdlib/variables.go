package stdlib

import (
	"bufio"
	"compress/gzip"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
)

// variable returns the error value, which is one of the table.
func variable(v Value) error {
	switch v {
	case Value{"bufio", "ErrTooLong"}:
		return bufio.ErrTooLong
	case Value{"compress/gzip", "ErrChecksum"}:
		return gzip.ErrChecksum
	case Value{"compress/gzip", "ErrHeader"}:
		return gzip.ErrHeader
	case Value{"context", "DeadlineExceeded"}:
		return context.DeadlineExceeded
	case Value{"database/sql", "ErrConnDone"}:
		return sql.ErrConnDone
	case Value{"database/sql", "ErrNoRows"}:
		return sql.ErrNoRows
	case Value{"database/sql", "ErrTxDone"}:
		return sql.ErrTxDone
	case Value{"database/sql/driver", "ErrBadConn"}:
		return driver.ErrBadConn
	case Value{"errors", "ErrUnsupported"}:
		return errors.ErrUnsupported
	case Value{"io", "EOF"}:
		return io.EOF
	case Value{"io", "ErrClosedPipe"}:
		return io.ErrClosedPipe
	case Value{"io", "ErrNoProgress"}:
		return io.ErrNoProgress
	case Value{"io", "ErrShortBuffer"}:
		return io.ErrShortBuffer
	case Value{"io", "ErrShortWrite"}:
		return io.ErrShortWrite
	case Value{"io", "ErrUnexpectedEOF"}:
		return io.ErrUnexpectedEOF
	case Value{"io/fs", "ErrClosed"}:
		return fs.ErrClosed
	case Value{"io/fs", "ErrExist"}:
		return fs.ErrExist
	case Value{"io/fs", "ErrInvalid"}:
		return fs.ErrInvalid
	case Value{"io/fs", "ErrNotExist"}:
		return fs.ErrNotExist
	case Value{"io/fs", "ErrPermission"}:
		return fs.ErrPermission
	case Value{"net", "ErrClosed"}:
		return net.ErrClosed
	case Value{"net", "ErrWriteToConnected"}:
		return net.ErrWriteToConnected
	case Value{"net/http", "ErrAbortHandler"}:
		return http.ErrAbortHandler
	case Value{"net/http", "ErrBodyReadAfterClose"}:
		return http.ErrBodyReadAfterClose
	case Value{"net/http", "ErrContentLength"}:
		return http.ErrContentLength
	case Value{"net/http", "ErrHandlerTimeout"}:
		return http.ErrHandlerTimeout
	case Value{"net/http", "ErrMissingFile"}:
		return http.ErrMissingFile
	case Value{"net/http", "ErrNoCookie"}:
		return http.ErrNoCookie
	case Value{"net/http", "ErrNoLocation"}:
		return http.ErrNoLocation
	case Value{"net/http", "ErrNotSupported"}:
		return http.ErrNotSupported
	case Value{"net/http", "ErrServerClosed"}:
		return http.ErrServerClosed
	case Value{"net/http", "ErrUseLastResponse"}:
		return http.ErrUseLastResponse
	case Value{"os", "ErrClosed"}:
		return os.ErrClosed
	case Value{"os", "ErrDeadlineExceeded"}:
		return os.ErrDeadlineExceeded
	case Value{"os", "ErrExist"}:
		return os.ErrExist
	case Value{"os", "ErrInvalid"}:
		return os.ErrInvalid
	case Value{"os", "ErrNoDeadline"}:
		return os.ErrNoDeadline
	case Value{"os", "ErrNotExist"}:
		return os.ErrNotExist
	case Value{"os", "ErrPermission"}:
		return os.ErrPermission
	case Value{"os", "ErrProcessDone"}:
		return os.ErrProcessDone
	case Value{"os/exec", "ErrDot"}:
		return exec.ErrDot
	case Value{"os/exec", "ErrNotFound"}:
		return exec.ErrNotFound
	case Value{"os/exec", "ErrWaitDelay"}:
		return exec.ErrWaitDelay
	case Value{"strconv", "ErrRange"}:
		return strconv.ErrRange
	case Value{"strconv", "ErrSyntax"}:
		return strconv.ErrSyntax
	}
	return nil
}
