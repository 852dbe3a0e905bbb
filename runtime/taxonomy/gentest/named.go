package gentest

// Is returns an error that wraps target and whose text is text. An example's message may contain
// the text of its error, which errgen does not know for the variables of other packages.
func Is(text string, target error) error { return &namedValue{text: text, target: target} }

type namedValue struct {
	text   string
	target error
}

func (e *namedValue) Error() string { return e.text }
func (e *namedValue) Unwrap() error { return e.target }

// As returns an error that errors.As finds to be a T, and that wraps the given error, which may be
// nil. It needs no value of T: T may be an interface, and the zero value of many types panics in
// Error, such as that of *net.OpError.
func As[T error](text string, wrapped error) error {
	return &namedType[T]{text: text, wrapped: wrapped}
}

type namedType[T error] struct {
	text    string
	wrapped error
}

func (e *namedType[T]) Error() string { return e.text }
func (e *namedType[T]) Unwrap() error { return e.wrapped }

// As leaves target unchanged.
func (e *namedType[T]) As(target any) bool {
	_, ok := target.(*T)
	return ok
}
