package forms

import (
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

func exists() error { return errs.NewExists() }

// want: EXISTS
func AtomicPointer() error {
	var p atomic.Pointer[error]
	err := exists()
	p.Store(&err)
	return *p.Load()
}

// want: EXISTS
func SliceOfPointers() error {
	err := exists()
	list := []*error{&err}
	return *list[0]
}

// want: EXISTS DB_DOWN
func OneOfTwoVariables(s string) error {
	var a, b error
	p := &a
	if s != "" {
		p = &b
	}
	*p = exists()
	if a == nil {
		a = errs.NewDBDown()
	}
	return a
}

// want: EXISTS
func AnonymousStruct() error {
	c := make(chan struct{ err error }, 1)
	c <- struct{ err error }{exists()}
	close(c)
	for x := range c {
		return x.err
	}
	return nil
}

type before struct{ err error }

type after struct{ err error }

// want: EXISTS
func ConvertedStruct() error { return after(before{exists()}).err }

type lazy struct{ cause func() error }

func (l lazy) Error() string { return "lazy" }
func (l lazy) Unwrap() error { return l.cause() }

// want: EXISTS
func UnwrapCalls() error { return lazy{exists} }

type inner struct{ err error }

type outer struct{ inner *inner }

func (o outer) Error() string { return "outer" }
func (o outer) Unwrap() error { return o.inner.err }

// want: EXISTS
func UnwrapOfNested() error { return outer{&inner{exists()}} }

type batch struct{ items map[string]error }

func (b *batch) Error() string { return "batch" }

func (b *batch) Unwrap() (list []error) {
	for _, err := range b.items {
		list = append(list, err)
	}
	return list
}

// want: EXISTS
func UnwrapOfMap(names []string) error {
	b := &batch{items: make(map[string]error)}
	for _, name := range names {
		if err := exists(); err != nil {
			b.items[name] = err
		}
	}
	return b
}

// want: DB_DOWN EXISTS
func UnwrapOfTyped() error { return errs.NewDBDown().WithCause(exists()).Unwrap() }

// want: NOT_FOUND EXISTS CLOSED foreign(json.Unmarshal)
func Unmarshalled(data []byte) error {
	var e errs.OrderError
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	return &e
}

// want: NOT_FOUND EXISTS CLOSED foreign(errs.OrderCode.UnmarshalText)
func UnmarshalledCode(text []byte) error {
	var c errs.OrderCode
	if err := c.UnmarshalText(text); err != nil {
		return err
	}
	return c
}

// want: NOT_FOUND EXISTS CLOSED
func ComputedCode() error {
	for c := errs.CodeNotFound; c <= errs.CodeClosed; c++ {
		if c.String() == "CLOSED" {
			return c
		}
	}
	return nil
}

type encoded struct{}

func (encoded) MarshalJSON() ([]byte, error) { return nil, exists() }

// want: EXISTS foreign(json.Marshal)
func EncodedInMap() error {
	m := map[string]any{"a": encoded{}}
	_, err := json.Marshal(m)
	return err
}

// want: EXISTS foreign(json.Marshal)
func EncodedInSlice() error {
	_, err := json.Marshal([]any{1, encoded{}})
	return err
}

type queue []error

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return i < j }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(error)) }
func (q *queue) Pop() any          { last := (*q)[len(*q)-1]; *q = (*q)[:len(*q)-1]; return last }

// want: EXISTS foreign(heap.Pop)
func Heap() error {
	q := new(queue)
	heap.Push(q, exists())
	return heap.Pop(q).(error)
}

// want: EXISTS foreign(http.Client.Get) foreign(net.Dialer.DialContext)
func ObjectsInObjects() error {
	d := &net.Dialer{}
	d.Control = func(string, string, syscall.RawConn) error { return exists() }
	c := &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
	_, err := c.Get("http://shop")
	return err
}

// want: EXISTS
func First() error {
	e, _ := taxonomy.First(exists(), nil)
	return e
}

// One package does not know whether the program gives causes to contexts.
//
// want: EXISTS (context)
func Retried(ctx context.Context) error {
	err := retry.Do(ctx, func(context.Context) error { return exists() })
	if errors.Is(err, errs.CodeClosed) {
		return nil
	}
	return err
}
