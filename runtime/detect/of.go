package detect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxBody bounds in bytes what is read of a response and what is kept of a text that has to be
// copied: its end.
const maxBody = 1 << 20

// Of returns what raw is evidence of. It never panics, whatever the methods of a foreign type do.
//
//   - nil and nil pointers are no evidence: the zero Evidence.
//   - [taxonomy.Evidence] and a pointer to it are returned as they are; lists and maps are shared.
//   - An error is asked for what it and the errors below it know: its tree is walked depth first,
//     to a depth of 64 and 1024 errors, and of two that know the same thing the first counts. The
//     text is that of the error itself, but of a process that failed it is what the process wrote
//     to its standard error, if that was kept. Err is the error. Where a *taxonomy.Evidence is in
//     the tree, it is the base: what is around it only fills what it lacks, but for the text.
//   - A *http.Response gives its status, what [Header] finds, the host that was asked as the
//     attribute of that name, and what [Body] finds in the first MiB of its body. The body is put
//     back, so that it can still be read as a whole. Reading it takes as long as the server does:
//     the context of the request is what bounds it.
//   - A map[string]any, a [json.RawMessage], and any other composite value as JSON, is read as
//     [Body] reads a body.
//   - A string, a []byte, a [fmt.Stringer] and a simple value give a text.
//
// What the error, or the system under it, says of itself comes first; from types of the standard
// library follow Type ("timeout", "network", "not_found" for a program that is not found, "start"
// for one that cannot be started), Errno, ExitCode or Signal, and the attributes path, operation,
// syscall, address, host and command. Other types are known by their methods (SQLState, ErrorCode,
// Code, Type, StatusCode, HTTPStatusCode, Status, ExitCode, RetryAfter, RawJSON) and by exported
// fields (StatusCode, Status, Code, ErrorCode, Type, Response, Header, Rate, RetryAfter,
// RequestID), as the errors of the usual clients of HTTP interfaces and databases have them; of one
// with an SQLSTATE its constraint, table, column and schema become attributes; what is just called
// a status counts from 400 to 599 only, since processes have one, too. An error of another taxonomy
// gives its code and its hints. Where nothing says how long to wait, [RetryHint] is asked about the
// text.
func Of(raw any) taxonomy.Evidence {
	switch x := raw.(type) {
	case nil:
		return taxonomy.Evidence{}
	case taxonomy.Evidence:
		return x
	case *taxonomy.Evidence:
		if x == nil {
			return taxonomy.Evidence{}
		}
		return *x
	case error:
		return ofError(x)
	}
	var ev taxonomy.Evidence
	ofValue(&ev, raw)
	hint(&ev)
	return ev
}

// ofValue fills ev from what is neither evidence nor an error.
func ofValue(ev *taxonomy.Evidence, raw any) {
	switch x := raw.(type) {
	case string:
		ev.Text = x
	case []byte:
		ev.Text = endOf(x)
	case json.RawMessage:
		Body(ev, x)
	case map[string]any:
		ofMap(ev, x)
	case http.Header:
		Header(ev, x)
	case *http.Response:
		if x != nil {
			ofResponse(ev, x)
		}
	case http.Response:
		ofHead(ev, &x)
	case fmt.Stringer:
		if !isNil(raw) {
			ev.Text = textOr(raw, x.String)
		}
	default:
		ofOther(ev, raw)
	}
}

// ofOther fills ev from a value of a type that is not known: a simple one as text, any other as
// JSON.
func ofOther(ev *taxonomy.Evidence, raw any) {
	switch v := reflect.ValueOf(raw); v.Kind() {
	case reflect.String:
		ev.Text = v.String()
	case reflect.Bool, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		ev.Text = fmt.Sprint(raw)
	default:
		if isNil(raw) {
			return
		}
		if b, ok := asJSON(raw); ok {
			Body(ev, b)
			return
		}
		ev.Text = fmt.Sprintf("%T", raw)
	}
}

// maxKeys bounds the maps that are looked at as a whole. Of a greater one only the keys are that
// say something.
const maxKeys = 256

// ofMap fills ev from an object. A value that cannot be said in JSON is as if it were not there.
func ofMap(ev *taxonomy.Evidence, m map[string]any) {
	if len(m) > maxKeys {
		m = known(m)
	}
	o := make(object, len(m))
	for key, value := range m {
		switch x := value.(type) {
		case error:
			value = bounded(textOf(x))
		case string:
			value = bounded(x)
		case map[string]any:
			if len(x) > maxKeys {
				value = known(x)
			}
		}
		if b, ok := asJSON(value); ok {
			o[key] = b
		}
	}
	if len(o) == 0 {
		return
	}
	f := filler{ev: ev}
	f.keys(o)
	if text := o.message(); text != "" {
		set(&ev.Text, text)
	} else if b, ok := asJSON(o); ok {
		f.text(b)
	}
}

// known returns what m has under the keys that are looked at.
func known(m map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range knownKeys {
		if value, ok := m[key]; ok {
			out[key] = value
		}
	}
	return out
}

// asJSON returns value as JSON, and false when its type has none.
func asJSON(value any) (b []byte, ok bool) {
	defer func() {
		if recover() != nil {
			b, ok = nil, false
		}
	}()
	b, err := json.Marshal(value)
	return b, err == nil
}

// isNil reports whether raw is a nil pointer, or anything else that can be nil and is.
func isNil(raw any) bool {
	switch v := reflect.ValueOf(raw); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// endOf returns b as a text; of one that is too long the end, secrets masked.
func endOf(b []byte) string {
	return bounded(string(b[max(0, len(b)-maxBody-scrubContext-1):]))
}

// bounded returns s; of one that is too long the end, secrets masked.
func bounded(s string) string { return CutMasked(s, maxBody) }
