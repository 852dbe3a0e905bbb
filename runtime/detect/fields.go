package detect

import (
	"net/http"
	"reflect"
	"time"
)

// maxEmbedded bounds how deep embedded structs are read.
const maxEmbedded = 4

// methods collects the values that an error of an unknown type returns from the usual methods.
func (w *walker) methods(err error) {
	if x, ok := err.(interface{ SQLState() string }); ok {
		setName(&w.ev.Code, x.SQLState())
		w.place(err)
	}
	if x, ok := err.(interface{ ErrorCode() string }); ok {
		setName(&w.ev.Code, x.ErrorCode())
	}
	// The types of codes differ, so that no interface has them all.
	setWord(&w.ev.Code, result(reflect.ValueOf(err).MethodByName("Code")))
	if v := result(reflect.ValueOf(err).MethodByName("Type")); v.Kind() == reflect.String {
		setWord(&w.ev.Type, v)
	}
	if x, ok := err.(interface{ StatusCode() int }); ok {
		w.status(x.StatusCode(), minStatus)
	}
	if x, ok := err.(interface{ HTTPStatusCode() int }); ok {
		w.status(x.HTTPStatusCode(), minStatus)
	}
	if x, ok := err.(interface{ Status() int }); ok {
		w.status(x.Status(), minFailure)
	}
	if timedOut(err) {
		set(&w.kind, typeTimeout)
	}
	if x, ok := err.(interface{ ExitCode() int }); ok {
		w.exitCode(x.ExitCode())
	}
	if x, ok := err.(interface{ RetryAfter() time.Duration }); ok {
		if d := x.RetryAfter(); d > 0 {
			w.retryAfter(d)
		}
	}
}

// result returns the result of a method without parameters, or the zero Value if the method does
// not exist or is of another form.
func result(method reflect.Value) reflect.Value {
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return reflect.Value{}
	}
	return method.Call(nil)[0]
}

// setWord fills a name with a text, or with the name or value of a number other than 0.
func setWord(p *string, v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		setName(p, v.String())
	case v.CanInt() && v.Int() != 0, v.CanUint() && v.Uint() != 0:
		if x, ok := v.Interface().(interface{ String() string }); ok {
			setName(p, x.String())
		} else if v.CanInt() {
			setNumber(p, v.Int())
		} else {
			setNumber(p, int64(min(v.Uint(), 1<<62)))
		}
	}
}

// places are the attributes for the place in a database where a statement failed, and the fields of
// pgconn.PgError and of lib/pq's Error that fill them.
var places = [...]struct{ attribute, pgx, pq string }{
	{"constraint", "ConstraintName", "Constraint"},
	{"table", "TableName", "Table"},
	{"column", "ColumnName", "Column"},
	{"schema", "SchemaName", "Schema"},
}

// place collects the place of an error with an SQLSTATE.
func (w *walker) place(err error) {
	v := reflect.Indirect(reflect.ValueOf(err))
	if v.Kind() != reflect.Struct {
		return
	}
	for _, p := range places {
		for _, name := range [...]string{p.pgx, p.pq} {
			if f := v.FieldByName(name); f.Kind() == reflect.String {
				w.attribute(p.attribute, f.String())
			}
		}
	}
}

// fields collects the values of the exported fields of an error that is a struct or points to one,
// and then the body of the response that the error keeps.
func (w *walker) fields(err error) {
	w.structFields(reflect.ValueOf(err), maxEmbedded)
	if x, ok := err.(interface{ RawJSON() string }); ok {
		w.rawBody(x.RawJSON())
	}
}

// rawBody collects everything but the text from a body.
func (w *walker) rawBody(body string) {
	if len(body) <= maxObject {
		o, _ := readObject([]byte(body))
		w.object(o)
	}
}

func (w *walker) structFields(v reflect.Value, depth int) {
	v = reflect.Indirect(v)
	if v.Kind() != reflect.Struct || depth == 0 {
		return
	}
	t := v.Type()
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			w.field(f.Name, v.Field(i), v)
		}
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.IsExported() {
			w.structFields(v.Field(i), depth-1)
		}
	}
}

// hasHeader reports whether a struct has the headers of a response, so that its code is a status
// and its body that of the response.
func hasHeader(v reflect.Value) bool {
	h := v.FieldByName("Header")
	return h.IsValid() && h.Type() == reflect.TypeFor[http.Header]()
}

// field collects the value of a field of a struct.
func (w *walker) field(name string, v, owner reflect.Value) {
	switch name {
	case "StatusCode", "HTTPStatusCode":
		w.statusField(v, minStatus)
	case "Status":
		w.statusField(v, minFailure)
	case "Code":
		if v.CanInt() && hasHeader(owner) {
			w.statusField(v, minStatus)
		} else {
			setWord(&w.ev.Code, v)
		}
	case "ErrorCode":
		setWord(&w.ev.Code, v)
	case "Type":
		if v.Kind() == reflect.String {
			setWord(&w.ev.Type, v)
		}
	case "RequestID":
		if v.Kind() == reflect.String {
			w.attribute("request-id", v.String())
		}
	case "RetryAfter":
		if d, ok := reflect.Indirect(v).Interface().(time.Duration); ok && (d > 0 || v.Kind() == reflect.Pointer) {
			w.retryAfter(d)
		}
	case "Rate":
		w.rateField(v)
	case "Response", "RawResponse":
		w.responseField(v, maxEmbedded)
	case "Header":
		if h, ok := v.Interface().(http.Header); ok {
			w.header(h)
		}
	case "Body":
		if v.Kind() == reflect.String && hasHeader(owner) {
			w.rawBody(v.String())
		}
	}
}

func (w *walker) statusField(v reflect.Value, least int) {
	switch {
	case v.CanInt():
		w.status(int(min(v.Int(), 1000)), least)
	case v.CanUint():
		w.status(int(min(v.Uint(), 1000)), least)
	}
}

// rateField collects the limit of go-github's RateLimitError, which has no response if the client
// did not send the request.
func (w *walker) rateField(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	remaining, reset := v.FieldByName("Remaining"), v.FieldByName("Reset")
	if !remaining.CanInt() || !reset.IsValid() || remaining.Int() != 0 {
		return
	}
	if reset.Kind() == reflect.Struct && reset.Type() != reflect.TypeFor[time.Time]() {
		reset = reset.FieldByName("Time")
	}
	if at, ok := reset.Interface().(time.Time); ok && !at.IsZero() {
		w.attribute("ratelimit-remaining", "0")
		w.resetAt(at)
	}
}

// responseField collects the values of a response without its body, also of one that is embedded
// in a struct.
func (w *walker) responseField(v reflect.Value, depth int) {
	if r, ok := v.Interface().(*http.Response); ok {
		if r != nil {
			w.head(r)
			if w.response == nil {
				w.response = r
			}
		}
		return
	}
	v = reflect.Indirect(v)
	if v.Kind() != reflect.Struct || depth == 0 {
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.IsExported() {
			w.responseField(v.Field(i), depth-1)
		}
	}
}
