// Package flows has functions with the codes that they can return, for the tests of the analysis.
package flows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
	"golang.org/x/sync/errgroup"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

var cond bool

// want: NOT_FOUND
func Factory() error { return errs.NewNotFound("1") }

// want: NOT_FOUND
func Typed() *errs.OrderError { return errs.NewNotFound("1").WithOrderID("2") }

// want: EXISTS
func Constant() error { return errs.CodeExists }

// want:
func Nothing() error { return nil }

// want: foreign(os.Open)
func FromOS() error { _, err := os.Open("x"); return err }

// want: NOT_FOUND
func Cause() error {
	_, err := os.Open("x")
	return errs.NewNotFound("1").WithCause(err)
}

// want: NOT_FOUND
func CauseOfCode() error { return errs.NewNotFound("1").WithCause(errs.NewExists()) }

// want: NOT_FOUND EXISTS
func Two() error {
	if cond {
		return errs.NewNotFound("1")
	}
	return errs.NewExists()
}

// want: NOT_FOUND EXISTS
func Wrapped() error {
	if err := Two(); err != nil {
		return fmt.Errorf("two: %w", err)
	}
	return nil
}

// want: foreign(fmt.Errorf)
func NotWrapped() error {
	if err := Two(); err != nil {
		return fmt.Errorf("two: %v", err)
	}
	return nil
}

// want: NOT_FOUND EXISTS CLOSED
func Joined() error { return errors.Join(Two(), errs.NewClosed()) }

// want: EXISTS
func HandledIs() error {
	err := Two()
	if errors.Is(err, errs.CodeNotFound) {
		return nil
	}
	return err
}

// want: NOT_FOUND
func OnlyIs() error {
	err := Two()
	if errors.Is(err, errs.CodeNotFound) {
		return err
	}
	return nil
}

// want: CLOSED
func HandledOr() error {
	err := Joined()
	if errors.Is(err, errs.CodeNotFound) || errors.Is(err, errs.CodeExists) {
		return nil
	}
	return err
}

// want: NOT_FOUND EXISTS over: CLOSED
func OnlyOr() error {
	err := Joined()
	if errors.Is(err, errs.CodeNotFound) || errors.Is(err, errs.CodeExists) {
		return err
	}
	return nil
}

// want: EXISTS DB_DOWN
func Replaced() error {
	err := Two()
	if errors.Is(err, errs.CodeNotFound) {
		err = errs.NewDBDown()
	}
	return err
}

func mixed() error {
	if cond {
		return Two()
	}
	return errs.NewDBDown()
}

// want: DB_DOWN
func HandledAsType() error {
	err := mixed()
	if _, ok := errors.AsType[*errs.OrderError](err); ok {
		return nil
	}
	return err
}

// want: NOT_FOUND EXISTS
func ReturnAsType() error {
	err := mixed()
	if oe, ok := errors.AsType[*errs.OrderError](err); ok {
		return oe
	}
	return nil
}

// want: NOT_FOUND EXISTS
func ReturnAs() error {
	err := mixed()
	var oe *errs.OrderError
	if errors.As(err, &oe) {
		return oe
	}
	return nil
}

// want: DB_DOWN
func HandledAs() error {
	err := mixed()
	var oe *errs.OrderError
	if errors.As(err, &oe) {
		return nil
	}
	return err
}

// want: EXISTS DB_DOWN
func HandledSwitch() error {
	err := mixed()
	if oe, ok := errors.AsType[*errs.OrderError](err); ok {
		switch oe.Code() {
		case errs.CodeNotFound:
			return nil
		}
	}
	return err
}

// want: DB_DOWN EXISTS
func HandledCodeOf() error {
	err := mixed()
	switch taxonomy.CodeOf(err) {
	case "NOT_FOUND":
		return nil
	default:
		return err
	}
}

// want: DB_DOWN
func HandledCategory() error {
	if err := mixed(); !errs.IsOrder(err) {
		return err
	}
	return nil
}

// want: NOT_FOUND EXISTS
func HandledRetryable() error {
	err := mixed()
	if taxonomy.IsRetryable(err) {
		return nil
	}
	return err
}

// want: NOT_FOUND
func CauseStays() error { // errors.Is finds the cause, too, so nothing may be removed
	err := CauseOfCode()
	if errors.Is(err, errs.CodeExists) {
		return err
	}
	return nil
}

// want: EXISTS
func ConstantNotTyped() error { // AsType does not find a constant
	err := Constant()
	if _, ok := errors.AsType[*errs.OrderError](err); ok {
		return nil
	}
	return err
}

// want: DB_DOWN DB_FAILED (context)
func Classified() error {
	_, err := os.Open("x")
	return errs.Classify(err, detect.WithSource(errs.SourceDB))
}

// want: GW_DOWN UNEXPECTED (context)
func ClassifiedNoFallback() error {
	_, err := os.Open("x")
	return errs.Classify(err, detect.WithSource(errs.SourceGw))
}

// want: NOT_FOUND EXISTS
func ClassifiedCodes() error { return errs.Classify(Two(), detect.WithSource(errs.SourceDB)) }

// want: GW_DOWN UNEXPECTED
func ClassifiedResponse(r *http.Response) error {
	return errs.Classify(r, detect.WithSource(errs.SourceGw))
}

// want: UNEXPECTED (context)
func ClassifiedNoSource() error { _, err := os.Open("x"); return errs.Classify(err) }

func classify(err error) error { return errs.Classify(err, detect.WithSource(errs.SourceDB)) }

// want: DB_DOWN DB_FAILED (context)
func Helper1() error { _, err := os.Open("x"); return classify(err) }

// want: CLOSED
func Helper2() error { return classify(errs.NewClosed()) }

// want: $err
func Passed(err error) error { return fmt.Errorf("x: %w", err) }

// want: CLOSED
func PassedCode() error { return Passed(errs.NewClosed()) }

// want: NOT_FOUND EXISTS (context)
func Retried(ctx context.Context) error {
	return retry.Do(ctx, func(context.Context) error { return Two() }, retry.ByTable(errs.Table))
}

// want: UNEXPECTED (context)
func RetriedForeign(ctx context.Context) error {
	return retry.Do(ctx, func(context.Context) error { return FromOS() }, retry.ByTable(errs.Table))
}

// want: CLOSED (context)
func RetriedValue(ctx context.Context) (int, error) {
	closed := func(context.Context) (int, error) { return 0, errs.NewClosed() }
	return retry.Value(ctx, closed, retry.ByTable(errs.Table))
}

func call(f func() error) error {
	if err := f(); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	return nil
}

// want: NOT_FOUND EXISTS
func Callback1() error { return call(Two) }

// want: CLOSED
func Callback2() error { return call(func() error { return errs.NewClosed() }) }

// want: CLOSED
func Nested() error {
	return call(func() error { return call(func() error { return errs.NewClosed() }) })
}

// want: NOT_FOUND EXISTS
func Deferred() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("deferred: %w", err)
		}
	}()
	return Two()
}

// want: NOT_FOUND EXISTS foreign(os.File.Close)
func DeferredClose() (err error) {
	f, _ := os.Open("x")
	defer func() { err = errors.Join(err, f.Close()) }()
	return Two()
}

// want: DB_DOWN
func DeferredHelper() (err error) {
	defer set(&err)
	return Two()
}

func set(err *error) {
	if *err != nil {
		*err = errs.NewDBDown()
	}
}

// want: CLOSED EXISTS NOT_FOUND
func Captured() error {
	var err error
	try := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	try(Two)
	try(func() error { return errs.NewClosed() })
	return err
}

type opError struct {
	op  string
	err error
}

func (e *opError) Error() string { return e.op }
func (e *opError) Unwrap() error { return e.err }

// want: NOT_FOUND EXISTS
func Wrapper() error {
	if err := Two(); err != nil {
		return &opError{"two", err}
	}
	return nil
}

// want: CLOSED
func Wrapper2() error { return &opError{"x", errs.NewClosed()} }

type hiding struct{ err error }

func (e hiding) Error() string { return "hiding" }

// want: foreign(flows.hiding)
func Hiding() error { return hiding{Two()} }

type job struct{ err error }

func (j *job) run() { j.err = Two() }

// want: NOT_FOUND EXISTS
func Field() error {
	j := &job{}
	j.run()
	return j.err
}

// want: NOT_FOUND EXISTS
func Channel() error {
	ch := make(chan error, 1)
	go func() { ch <- Two() }()
	return <-ch
}

func send(ch chan error) { ch <- errs.NewClosed() }

// want: CLOSED
func ChannelParameter() error {
	ch := make(chan error, 1)
	go send(ch)
	return <-ch
}

// want: NOT_FOUND EXISTS CLOSED
func Slice() error {
	var all []error
	for range 3 {
		all = append(all, Two())
	}
	all = append(all, errs.NewClosed())
	return errors.Join(all...)
}

// want: EXISTS CLOSED
func Map() error {
	m := map[string]error{"a": errs.NewExists()}
	m["b"] = errs.CodeClosed
	return m["a"]
}

// want: NOT_FOUND EXISTS CLOSED
func Group(ctx context.Context) error {
	g, _ := errgroup.WithContext(ctx)
	g.Go(Two)
	g.Go(func() error { return errs.NewClosed() })
	return g.Wait()
}

// want: CLOSED
func Once() error {
	f := sync.OnceValue(func() error { return errs.NewClosed() })
	return f()
}

func must[T any](f func() (T, error)) (T, error) {
	v, err := f()
	return v, err
}

// want: EXISTS
func Generic() error {
	_, err := must(func() (int, error) { return 0, errs.NewExists() })
	return err
}

type finder interface{ find() error }
type inMemory struct{}
type onDisk struct{}

func (inMemory) find() error { return errs.NewNotFound("1") }
func (*onDisk) find() error  { return errs.NewDBDown() }

var finders = []finder{inMemory{}, &onDisk{}}

// want: NOT_FOUND DB_DOWN
func Interface(f finder) error { return f.find() }

// want: NOT_FOUND
func InterfaceLocal() error {
	var f finder = inMemory{}
	return f.find()
}

type handler struct{ serve func() error }

// want: NOT_FOUND EXISTS
func FieldFunc() error { h := handler{serve: Two}; return h.serve() }

// want: NOT_FOUND
func MethodValue() error { f := inMemory{}.find; return call(f) }

// want: NOT_FOUND EXISTS CLOSED
func Recursive(n int) error {
	if n > 0 {
		if err := Recursive(n - 1); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
		return errs.NewClosed()
	}
	return Two()
}

// want: EXISTS NOT_FOUND CLOSED
func Loop() error {
	var last error
	for range 3 {
		if last = Joined(); last == nil {
			break
		}
	}
	return last
}

// want: foreign(io.EOF)
func Sentinel() error { return io.EOF }

var errGlobal = fmt.Errorf("global: %w", errs.CodeClosed)

// want: CLOSED
func Global() error { return errGlobal }

// want: NOT_FOUND EXISTS CLOSED DECLINED EXPIRED UNEXPECTED INTERNAL
func Decoded(r *http.Response) error { return problem.Read(r, errs.Table) }

// want: DB_DOWN DB_FAILED
func Evidence() error {
	ev := taxonomy.Evidence{Source: "db", Type: "network"}
	return errs.ClassifyEvidence(&ev)
}

// want: EXISTS
func TypeSwitch() error {
	switch err := Typed2().(type) {
	case *errs.OrderError:
		return err
	default:
		return nil
	}
}

func Typed2() error {
	if cond {
		return errs.NewExists()
	}
	return errs.NewDBDown()
}

// want: NOT_FOUND EXISTS
func Unwrapped() error { return errors.Unwrap(Wrapped()) }

// want: NOT_FOUND
func Attached() error { return taxonomy.WithStack(Factory()) }

// want: NOT_FOUND EXISTS
func Switch() error {
	switch err := mixed(); {
	case errors.Is(err, errs.CodeDBDown):
		return nil
	case err != nil:
		return err
	}
	return nil
}

// want: DB_DOWN
func Shadowed() error {
	err := mixed()
	if err != nil {
		if !errors.Is(err, errs.CodeExists) && !errors.Is(err, errs.CodeNotFound) {
			return err
		}
	}
	return nil
}

// want: EXISTS DB_DOWN
func NarrowedCaptured() error {
	err := mixed()
	defer func() { fmt.Println(err) }()
	if errors.Is(err, errs.CodeNotFound) {
		return nil
	}
	return err
}

// want: CLOSED foreign(io.Copy)
func ReaderCallback() error {
	_, err := io.Copy(io.Discard, closedReader{})
	return err
}

type closedReader struct{}

func (closedReader) Read([]byte) (int, error) { return 0, errs.NewClosed() }

// want: EXISTS DB_DOWN
func DeferredClears() (err error) {
	defer func() {
		if errors.Is(err, errs.CodeNotFound) {
			err = nil
		}
	}()
	return mixed()
}

// want: EXISTS DB_DOWN CLOSED
func DeferredHandles() (err error) {
	defer func() {
		if oe, ok := errors.AsType[*errs.OrderError](err); ok && oe.Code() == errs.CodeNotFound {
			err = errs.NewClosed().WithCause(err)
		}
	}()
	if err = mixed(); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	return nil
}

// want: DB_DOWN
func NarrowedNamed() (err error) {
	defer func() { fmt.Println(err) }()
	err = mixed()
	if errs.IsOrder(err) {
		return nil
	}
	return err
}

// want: NOT_FOUND EXISTS unknown(the_value_of_a_panic)
func Recovered() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err, _ = v.(error)
		}
	}()
	return Two()
}

type store interface {
	//errgen:errors NOT_FOUND DB_DOWN
	load() error
}

// want: NOT_FOUND DB_DOWN
func Contract(s store) error { return s.load() }

type multi []error

func (m multi) Error() string   { return "multi" }
func (m multi) Unwrap() []error { return m }

// want: NOT_FOUND EXISTS CLOSED
func Multi() error { return multi{Two(), errs.NewClosed()} }

type result struct {
	n   int
	err error
}

func compute() result { return result{1, errs.NewClosed()} }

// want: CLOSED
func StructResult() error { return compute().err }

// want: CLOSED EXISTS NOT_FOUND
func Workers() error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all []error
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := Joined(); err != nil {
				mu.Lock()
				all = append(all, err)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return errors.Join(all...)
}

// want: NOT_FOUND EXISTS CLOSED
func Select(done chan struct{}) error {
	ch := make(chan error)
	go func() { ch <- Joined() }()
	select {
	case err := <-ch:
		return err
	case <-done:
		return nil
	}
}

// want: $f()
func HigherOrder(f func() error) error { return call(f) }

func middleware(next func(int) error) func(int) error {
	return func(n int) error {
		if n == 0 {
			return errs.NewClosed()
		}
		return next(n)
	}
}

// want: CLOSED EXISTS
func Middleware() error { return middleware(func(int) error { return errs.NewExists() })(1) }

// want: EXISTS foreign(context.DeadlineExceeded)
func IsForeign() error {
	err := Two()
	if errors.Is(err, errs.CodeNotFound) {
		return context.DeadlineExceeded
	}
	return err
}
