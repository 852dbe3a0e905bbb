package detect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxBody bounds in bytes how much of a response is read, and the texts that are copied.
const maxBody = 1 << 20

// Of returns the evidence that raw contains. It never panics, whatever the methods of raw do.
//
//   - nil and nil pointers give the zero Evidence; [taxonomy.Evidence] and a pointer to it are
//     returned unchanged, and share their lists and maps.
//   - The tree of an error is walked depth first, to a depth of 64 and 1024 errors; the first error
//     that has a value for a field wins. The text is that of the error itself, or the standard
//     error of a failed process if it was kept. A *taxonomy.Evidence in the tree is the base, which
//     the errors around it complete, except for the text.
//   - A *http.Response gives its status, its headers by [Header], the requested host, and its body
//     by [Body]. The body can still be read completely. Reading it takes as long as the server
//     does, so that the request needs a context with a deadline.
//   - A map[string]any, a [json.RawMessage], and any other composite value as JSON, is read as
//     [Body] reads a body. A string, a []byte, a [fmt.Stringer] and a simple value give a text.
//
// Errors of the standard library give Errno, ExitCode or Signal, and the attributes path,
// operation, syscall, address, host and command. If no error in the tree has a type, they also give
// Type: "timeout", "network", "not_found", and "start" for programs. Other types are read by the
// usual methods (SQLState, ErrorCode, Code, Type, StatusCode, HTTPStatusCode, Status, ExitCode,
// RetryAfter, RawJSON) and exported fields (StatusCode, Status, Code, ErrorCode, Type, Response,
// Header, Rate, RetryAfter, RequestID). A plain "status" counts from 400 to 599 only, because
// processes have a status, too. An SQLSTATE adds the attributes constraint, table, column and
// schema. An error of another taxonomy gives its code and its hints. The Effect of an error is that
// of [retry.EffectOf].
//
// Of does not read a status or a wait in prose. [Rules.Classify] does, if the profile permits it.
//
// [retry.EffectOf]: https://pkg.go.dev/github.com/errgen/errgen/runtime/retry#EffectOf
func Of(raw any) taxonomy.Evidence {
	var ev taxonomy.Evidence
	switch x := raw.(type) {
	case nil:
	case taxonomy.Evidence:
		return x
	case *taxonomy.Evidence:
		if x != nil {
			return *x
		}
	case error:
		ev, _ = ofError(x)
	case string:
		ev.Text = x
	case []byte:
		ev.Text = boundedBytes(x)
	case json.RawMessage:
		Body(&ev, x)
	case map[string]any:
		ofMap(&ev, x)
	case http.Header:
		Header(&ev, x)
	case *http.Response:
		if x != nil {
			b := builder{ev: &ev}
			b.head(x)
			b.responseBody(x)
		}
	case http.Response:
		b := builder{ev: &ev}
		b.head(&x)
	case fmt.Stringer:
		if !isNil(raw) {
			ev.Text, _ = textOf(raw, x.String)
		}
	default:
		ofOther(&ev, raw)
	}
	return ev
}

// ofOther fills ev from a value of an unknown type: a simple value as text, any other as JSON.
func ofOther(ev *taxonomy.Evidence, raw any) {
	v := reflect.ValueOf(raw)
	if k := v.Kind(); k == reflect.String || reflect.Bool <= k && k <= reflect.Complex128 {
		ev.Text = fmt.Sprint(raw)
	} else if !isNil(raw) {
		if b, ok := asJSON(raw); ok {
			Body(ev, b)
		} else {
			ev.Text = fmt.Sprintf("%T", raw)
		}
	}
}

// ofMap fills ev from an object, in which an error is a text. A value that has no JSON is ignored.
func ofMap(ev *taxonomy.Evidence, m map[string]any) {
	o := make(map[string]json.RawMessage, len(m))
	for key, value := range m {
		if err, ok := value.(error); ok {
			value, _ = textOf(err, err.Error)
		}
		if b, ok := asJSON(value); ok {
			o[key] = b
		}
	}
	if b, ok := asJSON(o); ok && len(o) > 0 {
		Body(ev, b)
	}
}

// asJSON returns value as JSON. If its type cannot be marshalled, ok is false.
func asJSON(value any) (b []byte, ok bool) {
	try(func() {
		var err error
		b, err = json.Marshal(value)
		ok = err == nil
	})
	return b, ok
}

// isNil reports whether raw is a nil pointer or another nil value.
func isNil(raw any) bool {
	switch v := reflect.ValueOf(raw); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// try calls f and ignores a panic in it: the methods that f calls belong to foreign types.
func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

// textOf returns the text that a method of value returns. If the method panics, text is a note and
// ok is false.
func textOf(value any, method func() string) (text string, ok bool) {
	try(func() { text, ok = method(), true })
	if !ok {
		text = fmt.Sprintf("(%T panics when asked for its text)", value)
	}
	return text, ok
}
