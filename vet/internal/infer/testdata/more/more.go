// Package more has functions with the errors that they can return. They were written from the
// documentation before the analysis had seen them.
package more

import (
	"bufio"
	"bytes"
	"cmp"
	"container/list"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"golang.org/x/sync/errgroup"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

type account struct {
	id      string
	balance int
}

type repository struct {
	db    *sql.DB
	cache map[string]account
}

// want: NOT_FOUND DB_DOWN DB_FAILED (context)
func (r *repository) Find(ctx context.Context, id string) (account, error) {
	var a account
	err := r.db.QueryRowContext(ctx, "SELECT", id).Scan(&a.id, &a.balance)
	if errors.Is(err, sql.ErrNoRows) {
		return a, errs.NewNotFound(id).WithCause(err)
	}
	if err != nil {
		return a, errs.Classify(err, detect.WithSource(errs.SourceDB))
	}
	return a, nil
}

// want: NOT_FOUND DB_DOWN DB_FAILED (context) CLOSED
func (r *repository) Withdraw(ctx context.Context, id string, n int) error {
	a, err := r.Find(ctx, id)
	if err != nil {
		return fmt.Errorf("withdraw %d: %w", n, err)
	}
	if a.balance < n {
		return errs.NewClosed()
	}
	return nil
}

// want: DB_DOWN DB_FAILED (context)
func (r *repository) FindOrDefault(ctx context.Context, id string) (account, error) {
	a, err := r.Find(ctx, id)
	switch {
	case err == nil:
		return a, nil
	case isMissing(err):
		return account{id: id}, nil
	default:
		return a, err
	}
}

func isMissing(err error) bool { return errors.Is(err, errs.CodeNotFound) }

func isFinal(err error) bool {
	if errors.Is(err, errs.CodeClosed) {
		return true
	}
	return errors.Is(err, errs.CodeExists)
}

func three(n int) error {
	switch n {
	case 0:
		return errs.NewNotFound("1")
	case 1:
		return errs.NewExists()
	}
	return errs.NewClosed()
}

// want: NOT_FOUND
func NotFinal(n int) error {
	if err := three(n); !isFinal(err) {
		return err
	}
	return nil
}

// want: CLOSED EXISTS
func OnlyFinal(n int) error {
	err := three(n)
	if isFinal(err) {
		return err
	}
	return nil
}

func codeAmong(err error, codes ...error) bool {
	for _, c := range codes {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}

// A loop over codes is not followed.
//
// want: NOT_FOUND EXISTS CLOSED
func NotAmong(n int) error {
	if err := three(n); !codeAmong(err, errs.CodeClosed) {
		return err
	}
	return nil
}

// want: EXISTS CLOSED
func NotGone(n int) error {
	err := three(n)
	if err != nil && isMissing(err) && n > 3 {
		return nil
	}
	if isMissing(err) {
		return nil
	}
	return err
}

// want: EXISTS
func NotInGroup(n int) error {
	err := three(n)
	if errs.InGone(err) {
		return nil
	}
	return err
}

// want: NOT_FOUND CLOSED
func InGroup(n int) error {
	if err := three(n); errs.InGone(err) {
		return err
	}
	return nil
}

func payment(n int) error {
	switch n {
	case 0:
		return errs.NewDeclined()
	case 1:
		return errs.NewExpired(2020)
	}
	return errs.NewExists()
}

// want: EXISTS
func NoPayment(n int) error {
	err := payment(n)
	if errors.Is(err, errs.CodePayment) { // the parent finds both
		return nil
	}
	return err
}

// want: DECLINED EXISTS
func NotExpired(n int) error {
	err := payment(n)
	if errors.Is(err, errs.CodeExpired) {
		return nil
	}
	return err
}

// want: EXISTS
func NotDeclined(n int) error {
	err := payment(n)
	if errors.Is(err, errs.CodeDeclined) {
		return nil
	}
	return err
}

// want: EXPIRED
func OwnType(n int) error {
	if e, ok := errors.AsType[*errs.ExpiredError](payment(n)); ok {
		return e
	}
	return nil
}

// want: NOT_FOUND EXISTS CLOSED
func CodeType(n int) error {
	if code, ok := errors.AsType[errs.OrderCode](three(n)); ok {
		return code
	}
	return nil
}

// want: NOT_FOUND CLOSED
func SwitchOnCodeType(n int) error {
	err := three(n)
	code, ok := errors.AsType[errs.OrderCode](err)
	if !ok {
		return nil
	}
	if code == errs.CodeExists {
		return nil
	}
	return err
}

// want: EXPIRED EXISTS
func SwitchErrors(n int) error {
	switch err := payment(n); {
	case errors.Is(err, errs.CodeExpired), errors.Is(err, errs.CodeExists):
		return err
	}
	return nil
}

// want: CLOSED
func SwitchCodes(n int) error {
	err := three(n)
	switch taxonomy.CodeOf(err) {
	case "NOT_FOUND", "EXISTS":
		return nil
	}
	return err
}

// want: NOT_FOUND EXISTS CLOSED foreign(fmt.Errorf)
func Prefixed(n int) error {
	err := three(n)
	if n > 4 {
		return fmt.Errorf("n is %d: %s", n, err)
	}
	return fmt.Errorf("three: %w", err)
}

// want: EXISTS
func Overwritten() error {
	err := three(0)
	if err != nil {
		err = errs.NewExists()
	}
	return err
}

// want: NOT_FOUND CLOSED EXISTS
func NamedResult(n int) (ok bool, err error) {
	if err = three(n); err != nil {
		return
	}
	ok = true
	return
}

// want: NOT_FOUND CLOSED EXISTS DB_FAILED
func Commit(n int) (err error) {
	defer func() {
		if e := end(); e != nil && err == nil {
			err = e
		}
	}()
	return three(n)
}

func end() error { return errs.NewDBFailed() }

// want: DB_FAILED
func Recovering() (err error) {
	defer func() {
		if recover() != nil {
			err = errs.NewDBFailed()
		}
	}()
	panic("lost")
}

// want: NOT_FOUND EXISTS CLOSED
func DeferredWrap(n int) (err error) {
	defer wrapf(&err, "n %d", n)
	return three(n)
}

func wrapf(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

type step func(context.Context) error

// want: NOT_FOUND EXISTS CLOSED DB_DOWN
func Steps(ctx context.Context) error {
	steps := []step{
		func(context.Context) error { return three(2) },
		func(context.Context) error { return errs.NewDBDown() },
	}
	for _, s := range steps {
		if err := s(ctx); err != nil {
			return err
		}
	}
	return nil
}

// want: EXISTS DB_FAILED
func Table(name string) error {
	f, ok := map[string]func() error{
		"exists": func() error { return errs.NewExists() },
		"failed": end,
	}[name]
	if !ok {
		return nil
	}
	return f()
}

type option func(*server) error

type server struct {
	limit int
	next  func(int) error
}

func withLimit(n int) option {
	return func(s *server) error {
		if n < 0 {
			return errs.NewClosed()
		}
		s.limit = n
		return nil
	}
}

// want: $opts()
func newServer(opts ...option) (*server, error) {
	s := &server{}
	for _, o := range opts {
		if err := o(s); err != nil {
			return nil, fmt.Errorf("new server: %w", err)
		}
	}
	return s, nil
}

// want: CLOSED
func Options() (*server, error) { return newServer(withLimit(3)) }

// want: NOT_FOUND EXISTS CLOSED
func FieldFunction() error {
	s := &server{next: three}
	return s.next(1)
}

type reader interface{ read() ([]byte, error) }

type fileReader struct{ name string }

func (f fileReader) read() ([]byte, error) {
	b, err := os.ReadFile(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errs.NewNotFound(f.name)
	}
	return b, err
}

type retryReader struct{ inner reader }

func (r retryReader) read() ([]byte, error) {
	b, err := r.inner.read()
	if err != nil {
		return nil, errs.NewDBFailed().WithCause(err)
	}
	return b, nil
}

// want: NOT_FOUND foreign(os.ReadFile)
func ReadFile(name string) error {
	_, err := fileReader{name}.read()
	return err
}

// Only fileReader becomes a reader.
//
// want: NOT_FOUND foreign(os.ReadFile)
func ReadAny(r reader) error {
	_, err := r.read()
	return err
}

// want: DB_FAILED
func ReadDecorated() error {
	_, err := retryReader{fileReader{"x"}}.read()
	return err
}

// want: foreign(strconv.Atoi)
func Parse(s string) (int, error) { return strconv.Atoi(s) }

// want: INTERNAL
func ParseTyped(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errs.NewInternal().WithCause(err)
	}
	return n, nil
}

var errStopped = errors.New("stopped")

// want: foreign(errors.New) NOT_FOUND EXISTS CLOSED
func Sentinel(n int) error {
	if n < 0 {
		return errStopped
	}
	return three(n)
}

// want: NOT_FOUND EXISTS CLOSED over: foreign(errors.New)
func SentinelHandled(n int) error {
	if err := Sentinel(n); err != nil && err != errStopped {
		if errors.Is(err, errStopped) {
			return nil
		}
		return err
	}
	return nil
}

// want: NOT_FOUND EXISTS CLOSED
func Collect() error {
	var all []error
	for i := range 3 {
		if err := three(i); err != nil {
			all = append(all, fmt.Errorf("%d: %w", i, err))
		}
	}
	return errors.Join(all...)
}

type collector struct {
	mu   sync.Mutex
	errs []error
}

func (c *collector) add(err error) {
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, err)
}

func (c *collector) err() error { return errors.Join(c.errs...) }

// want: NOT_FOUND EXISTS CLOSED DB_DOWN
func Collector() error {
	var c collector
	c.add(three(1))
	c.add(errs.NewDBDown())
	return c.err()
}

// want: DB_FAILED
func Pipeline() error {
	out := make(chan result, 1)
	go produce(out)
	for r := range out {
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

type result struct {
	n   int
	err error
}

func produce(out chan<- result) {
	defer close(out)
	out <- result{err: end()}
}

// want: NOT_FOUND EXISTS CLOSED (context)
func SelectDone(ctx context.Context) error {
	ch := make(chan error)
	go func() { ch <- three(1) }()
	select {
	case err := <-ch:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// want: DB_DOWN (context) over: DECLINED
func CancelledWithCause(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errs.NewDBDown())
	<-ctx.Done()
	return context.Cause(ctx)
}

func mapErr[T, U any](in []T, f func(T) (U, error)) ([]U, error) {
	out := make([]U, 0, len(in))
	for _, x := range in {
		y, err := f(x)
		if err != nil {
			return nil, err
		}
		out = append(out, y)
	}
	return out, nil
}

// want: INTERNAL
func MapGeneric() ([]int, error) { return mapErr([]string{"1"}, ParseTyped) }

type cache[K comparable, V any] struct {
	load func(K) (V, error)
	m    map[K]V
}

func (c *cache[K, V]) get(k K) (V, error) {
	if v, ok := c.m[k]; ok {
		return v, nil
	}
	return c.load(k)
}

// want: NOT_FOUND
func GenericCache() error {
	c := cache[string, int]{load: func(k string) (int, error) { return 0, errs.NewNotFound(k) }}
	_, err := c.get("1")
	return err
}

// want: EXISTS
func Must() error {
	f := sync.OnceValues(func() (int, error) { return 0, errs.NewExists() })
	_, err := f()
	return err
}

type apiError struct {
	status int
	cause  error
}

func (e *apiError) Error() string { return fmt.Sprint(e.status) }
func (e *apiError) Unwrap() error { return e.cause }

// want: NOT_FOUND EXISTS CLOSED
func OwnWrapper(n int) error {
	if err := three(n); err != nil {
		return &apiError{status: 500, cause: err}
	}
	return nil
}

// want: foreign(more.apiError)
func OwnWithoutCause() error { return &apiError{status: 404} }

// want: NOT_FOUND EXISTS CLOSED
func UnwrapOwn(n int) error {
	err := OwnWrapper(n)
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.cause
	}
	return nil
}

// want: DB_DOWN (context)
func Retried(ctx context.Context) error {
	return retry.Do(ctx, func(context.Context) error { return errs.NewDBDown() }, retry.ByTable(errs.Table))
}

// want: DB_DOWN (context) $table.Classify()
func RetriedByOwnTable(ctx context.Context, table taxonomy.Table) error {
	return retry.Do(ctx, func(context.Context) error { return errs.NewDBDown() }, retry.ByTable(table))
}

// want: DB_DOWN (context) unknown(classified_by_a_table_that_is_not_a_variable_of_a_generated_package)
func RetriedWithOptions(ctx context.Context, options []retry.Option) error {
	return retry.Do(ctx, func(context.Context) error { return errs.NewDBDown() }, options...)
}

// want: EXISTS (context)
func RetriedHandled(ctx context.Context) error {
	n := 0
	err := retry.Do(ctx, func(context.Context) error { n++; return three(n) }, retry.ByTable(errs.Table))
	if errors.Is(err, errs.CodeNotFound) || errors.Is(err, errs.CodeClosed) {
		return nil
	}
	return err
}

// want: CLOSED
func Permanent() error { return retry.Permanent(errs.NewClosed()) }

// want: NOT_FOUND EXISTS CLOSED over: DB_DOWN
func Retryable(n int) error {
	err := three(n)
	if taxonomy.IsRetryable(err) { // none of them is
		return errs.NewDBDown()
	}
	return err
}

// want: CLOSED DECLINED EXISTS EXPIRED INTERNAL NOT_FOUND UNEXPECTED foreign(http.Client.Do)
// foreign(http.NewRequestWithContext)
func Call(ctx context.Context, c *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return problem.Read(resp, errs.Table)
}

// want: NOT_FOUND GW_DOWN UNEXPECTED (context) over: CLOSED
func Gateway(ctx context.Context, c *http.Client) error {
	resp, err := c.Get("http://gateway")
	if err != nil {
		return errs.Classify(err, detect.WithSource(errs.SourceGw))
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return errs.NewNotFound("gateway")
	}
	return nil
}

type decoder struct{ err error }

func (d *decoder) UnmarshalJSON(b []byte) error {
	if len(b) > 10 {
		return errs.NewExists()
	}
	return nil
}

// want: EXISTS foreign(json.Unmarshal)
func Unmarshal(b []byte) error {
	var v struct{ D decoder }
	return json.Unmarshal(b, &v)
}

// want: NOT_FOUND CLOSED EXISTS foreign(fs.WalkDir)
func Walk(root string) error {
	return walkDir(root, func(path string, d fs.DirEntry, err error) error { return three(len(path)) })
}

func walkDir(root string, f fs.WalkDirFunc) error { return fs.WalkDir(os.DirFS(root), ".", f) }

// want: foreign(bufio.Scanner.Err)
func Scan(r io.Reader) error {
	s := bufio.NewScanner(r)
	for s.Scan() {
	}
	return s.Err()
}

type closer struct{ name string }

func (c *closer) Close() error { return errs.NewClosed() }

// want: CLOSED NOT_FOUND EXISTS
func CloseBoth(n int) (err error) {
	c := &closer{"x"}
	defer func() { err = cmp.Or(err, c.Close()) }()
	return three(n)
}

// want: CLOSED
func CloseInterface() error {
	var c io.Closer = &closer{"x"}
	return c.Close()
}

var last atomic.Value

// want: EXISTS
func Atomic() error {
	last.Store(errs.NewExists())
	err, _ := last.Load().(error)
	return err
}

var byName sync.Map

// want: CLOSED
func SyncMap() error {
	byName.Store("a", errs.NewClosed())
	v, ok := byName.Load("a")
	if !ok {
		return nil
	}
	return v.(error)
}

func numbers() iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range 3 {
			if !yield(i, three(i)) {
				return
			}
		}
	}
}

// want: NOT_FOUND EXISTS CLOSED
func Iterate() error {
	for _, err := range numbers() {
		if err != nil {
			return err
		}
	}
	return nil
}

// want: EXISTS
func Struct() error {
	p := pair{a: errs.NewExists(), n: 1}
	return p.first()
}

type pair struct {
	a error
	n int
}

func (p pair) first() error { return p.a }

// want: DB_DOWN
func Embedded() error {
	s := service{base: base{err: errs.NewDBDown()}}
	return s.failure()
}

type base struct{ err error }

func (b base) failure() error { return b.err }

type service struct{ base }

// want: CLOSED EXISTS
func Conditional(ok bool) error {
	var err error = errs.NewClosed()
	if ok {
		err = errs.CodeExists
	}
	return err
}

// want: EXISTS
func TypedNil(ok bool) error {
	var e *errs.OrderError
	if !ok {
		e = errs.NewExists()
	}
	if e != nil {
		return e
	}
	return nil
}

// want: NOT_FOUND
func First() error {
	for _, err := range []error{nil, errs.NewNotFound("1")} {
		if err != nil {
			return err
		}
	}
	return nil
}

// want: DB_FAILED EXISTS
func Goto(n int) error {
	var err error
again:
	if n == 0 {
		return err
	}
	n--
	if n%2 == 0 {
		err = errs.NewExists()
	} else {
		err = end()
	}
	goto again
}

// want: NOT_FOUND CLOSED EXISTS
func Closure(n int) error {
	check := func() error { return three(n) }
	if err := check(); err != nil {
		return err
	}
	return nil
}

// want: UNEXPECTED (context) NOT_FOUND CLOSED EXISTS
func ClassifyMixed(n int) error {
	var err error
	if n == 9 {
		_, err = os.Open("x")
	} else {
		err = three(n)
	}
	return errs.Classify(err)
}

// want: DB_DOWN DB_FAILED (context) $err
func Handle(err error) error {
	if err == nil {
		return nil
	}
	_, e := os.Open("x")
	return errors.Join(errs.Classify(e, detect.WithSource(errs.SourceDB)), err)
}

// want: DECLINED EXISTS EXPIRED
func Sorted(list []int) error {
	var err error
	sort.Slice(list, func(i, j int) bool {
		if e := payment(list[i]); e != nil {
			err = e
		}
		return list[i] < list[j]
	})
	return err
}

// want: NOT_FOUND
func Later() error {
	ch := make(chan struct{})
	var err error
	time.AfterFunc(time.Second, func() { err = errs.NewNotFound("1"); close(ch) })
	<-ch
	return err
}

// want: EXISTS
func Write() error {
	var b bytes.Buffer
	w := &limited{&b}
	return w.write("x")
}

type limited struct{ w io.Writer }

func (l *limited) write(s string) error {
	if strings.Contains(s, "x") {
		return errs.NewExists()
	}
	return nil
}

// want: CLOSED
func Any() error {
	var v any = errs.NewClosed()
	if err, ok := v.(error); ok {
		return err
	}
	return nil
}

// want: NOT_FOUND EXISTS CLOSED
func Keys(m map[int]bool) error {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if err := three(k); err != nil {
			return err
		}
	}
	return nil
}

// want: DB_DOWN
func HandledInLoop(n int) error {
	for i := range n {
		err := three(i)
		if i > 3 {
			err = errs.NewDBDown()
		}
		if errs.IsOrder(err) {
			continue
		}
		return err
	}
	return nil
}

// want: CLOSED
func Rest(n int) error {
	err := three(n)
	oe, ok := errors.AsType[*errs.OrderError](err)
	if !ok {
		return nil
	}
	switch oe.Code() {
	case errs.CodeNotFound, errs.CodeExists:
		return nil
	}
	return oe
}

// want: NOT_FOUND EXISTS CLOSED DB_FAILED
func JoinHandled(n int) error {
	err := errors.Join(three(n), end())
	if errors.Is(err, errs.CodeDeclined) {
		return nil
	}
	return err
}

// want: INTERNAL
func Translate(n int) error {
	switch err := three(n); {
	case err == nil:
		return nil
	case errors.Is(err, errs.CodeNotFound), errors.Is(err, errs.CodeExists), errors.Is(err, errs.CodeClosed):
		return errs.NewInternal().WithCause(err)
	default:
		return err
	}
}

const debug = false

// ConstantCondition never reaches one of its returns.
//
// want: CLOSED
func ConstantCondition(err error) error {
	if debug || errors.Is(err, errs.CodeNotFound) {
		err = errs.NewClosed()
	} else if !debug {
		return errs.NewClosed()
	}
	if debug {
		return errs.NewNotFound("1")
	}
	return err
}

var cond bool

type bound struct{ id string }

func (b bound) run() error { return errs.NewClosed() }

func callOne(f func() error) error { return f() }

// A method is a value at several places.
//
// want: CLOSED
func Bound1(b bound) error { return callOne(b.run) }

// want: CLOSED
func Bound2(b *bound) error { f := b.run; return f() }

// want: CLOSED
func Bound3(b *bound) error {
	var g errgroup.Group
	g.Go(b.run)
	f := bound.run
	return cmp.Or(f(*b), callOne(b.run))
}

type failing func() error

func logged(next failing) failing {
	return func() error {
		if err := next(); err != nil {
			return fmt.Errorf("logged: %w", err)
		}
		return nil
	}
}

func guarded(next failing) failing {
	return func() error {
		if cond {
			return errs.NewExists()
		}
		return next()
	}
}

func named(name string) func(failing) failing {
	return func(next failing) failing {
		return func() error {
			if name == "" {
				return errs.NewInternal()
			}
			return next()
		}
	}
}

func closed() error { return errs.NewClosed() }

func missing() error { return errs.NewNotFound("1") }

// Each user of a decorator has its own function.
//
// want: CLOSED
func Decorated1() error { return logged(closed)() }

// want: NOT_FOUND EXISTS
func Decorated2() error { return logged(guarded(missing))() }

// want: NOT_FOUND INTERNAL
func Decorated3() error { return named("x")(logged(missing))() }

func repeatedly(n int, f failing) failing {
	if n == 0 {
		return f
	}
	return repeatedly(n-1, func() error {
		if errors.Is(f(), errs.CodeClosed) {
			return errs.NewExists()
		}
		return errs.NewDBFailed()
	})
}

// The decorator calls itself, so all its users share a set.
//
// want: CLOSED EXISTS DB_FAILED
func DecoratedTwice() error { return repeatedly(2, closed)() }

// want: NOT_FOUND DB_FAILED over: EXISTS
func DecoratedMissing() error { return repeatedly(2, missing)() }

func chained(f failing, all ...func(failing) failing) failing {
	for _, m := range all {
		f = m(f)
	}
	return f
}

// Middleware is a value.
//
// want: CLOSED EXISTS INTERNAL
func Chained() error { return chained(closed, guarded, named("x"))() }

// want: NOT_FOUND EXISTS over: INTERNAL
func ChainedOnce() error { return chained(missing, guarded)() }

func applied(m func(failing) failing) error { return m(closed)() }

// want: CLOSED EXISTS
func Applied() error { return applied(guarded) }

type stack struct{ all []func(failing) failing }

func (s *stack) use(m func(failing) failing) { s.all = append(s.all, m) }

func (s *stack) run(f failing) error {
	for _, m := range slices.Backward(s.all) {
		f = m(f)
	}
	return f()
}

// want: CLOSED over: unknown(an_argument_of_a_callback)
func Stacked() error {
	s := &stack{}
	s.use(guarded)
	return s.run(closed)
}

// want: unknown(what_a_caller_passes)
func OpenMiddleware(m func(failing) failing) error { return m(closed)() }

type refusing struct{ retry.Breaker }

// The refusal of a breaker is classified.
//
// want: CLOSED UNEXPECTED (context)
func RetriedWithBreaker(ctx context.Context) error {
	return retry.Do(ctx, func(context.Context) error { return closed() }, retry.ByTable(errs.Table),
		retry.WithBreaker(refusing{}, "lane"))
}

// A deadline that passed before the first call is not classified.
//
// want: CLOSED (context)
func RetriedByTable(ctx context.Context) error {
	return retry.Do(ctx, func(context.Context) error { return closed() }, retry.ByTable(errs.Table))
}

// want: DECLINED (context) over: DB_DOWN
func EndedWithCause(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Second, errs.NewDeclined())
	defer cancel()
	<-ctx.Done()
	return context.Cause(ctx)
}

// want: CLOSED
func AtomicCall() error {
	var v atomic.Value
	v.Store(closed())
	err, _ := v.Load().(error)
	return err
}

// want: CLOSED
func SyncMapCall() error {
	var m sync.Map
	m.Store(1, closed())
	v, _ := m.Load(1)
	return v.(error)
}

// want: CLOSED
func PoolNew() error {
	p := sync.Pool{New: func() any { return closed() }}
	return p.Get().(error)
}

// want: unknown(field_list.Element.Value_of_another_package)
func List() error {
	l := list.New()
	l.PushBack(closed())
	return l.Front().Value.(error)
}

// want: CLOSED
func Copied() error {
	b := make([]error, 1)
	copy(b, []error{closed()})
	return b[0]
}

// want: unknown(a_variable_whose_address_is_stored)
func PointerToPointer() error {
	var err error
	p := &err
	q := &p
	**q = closed()
	return err
}

// want: foreign(slices.Collect) unknown(an_argument_of_a_callback_of_slices.Collect)
func CollectedSequence() error {
	list := slices.Collect(func(yield func(error) bool) { yield(closed()) })
	return list[0]
}

type transport struct{}

func (transport) RoundTrip(*http.Request) (*http.Response, error) { return nil, closed() }

// want: CLOSED foreign(http.Client.Get)
func Transport() error {
	c := &http.Client{Transport: transport{}}
	_, err := c.Get("http://x")
	return err
}

// want: CLOSED foreign(template.Template.Execute) over: foreign(template.Template.Parse)
func Template() error {
	t := template.New("x").Funcs(template.FuncMap{"f": func() (string, error) { return "", closed() }})
	return template.Must(t.Parse("{{f}}")).Execute(io.Discard, nil)
}

// want: unknown(reflection)
func Reflection() error {
	err, _ := reflect.ValueOf(closed).Call(nil)[0].Interface().(error)
	return err
}

func clientWith(t http.RoundTripper) *http.Client { return &http.Client{Transport: t} }

// want: CLOSED foreign(http.Client.Get)
func TransportOfParameter() error {
	_, err := clientWith(transport{}).Get("http://x")
	return err
}

// want: CLOSED foreign(io.ReadAll)
func Pipe() error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(closed()) }()
	_, err := io.ReadAll(r)
	return err
}

// A cause is not in the set.
//
// want: CLOSED
func WithCause(cause error) error { return errs.NewClosed().WithCause(cause) }

// want: $cause over: CLOSED
func UnwrappedCause(cause error) error { return errors.Unwrap(WithCause(cause)) }
