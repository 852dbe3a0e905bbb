package detect

import (
	"net/http"
	"reflect"
	"time"
)

// fields collects what the exported fields of an error say that is a struct or points to one,
// embedded structs included.
func (g *gather) fields(err error) {
	g.structFields(reflect.ValueOf(err), maxEmbedded)
}

// maxEmbedded bounds how deep structs are embedded that are looked at.
const maxEmbedded = 4

func (g *gather) structFields(v reflect.Value, depth int) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || depth == 0 {
		return
	}
	t := v.Type()
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			try(func() { g.field(f.Name, v.Field(i), v) })
		}
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.IsExported() {
			g.structFields(v.Field(i), depth-1)
		}
	}
}

// field collects what a field of the struct says.
func (g *gather) field(field string, v, owner reflect.Value) {
	switch field {
	case "StatusCode", "HTTPStatusCode":
		g.statusField(v, leastStatus)
	case "Status":
		g.statusField(v, leastFailure)
	case "Code":
		if hasHeader(owner) && v.CanInt() {
			g.statusField(v, leastStatus)
			return
		}
		word(&g.ev.Code, v)
	case "ErrorCode":
		word(&g.ev.Code, v)
	case "Type":
		if v.Kind() == reflect.String {
			word(&g.ev.Type, v)
		}
	case "RequestID":
		if v.Kind() == reflect.String {
			g.attribute("request-id", v.String())
		}
	case "RetryAfter":
		g.retryField(v)
	case "Rate":
		g.rateField(v)
	case "Response", "RawResponse":
		g.responseField(v, maxEmbedded)
	case "Header":
		if h, ok := v.Interface().(http.Header); ok {
			g.header(h)
		}
	case "Body":
		if hasHeader(owner) && v.Kind() == reflect.String && v.Len() <= maxBody {
			o, _ := readObject([]byte(v.String()))
			g.keys(o)
		}
	}
}

// hasHeader reports whether the struct has the headers of a response, so that its code is a status
// and its body that of the response.
func hasHeader(owner reflect.Value) bool {
	h := owner.FieldByName("Header")
	return h.IsValid() && h.Type() == reflect.TypeFor[http.Header]()
}

func (g *gather) statusField(v reflect.Value, least int) {
	switch {
	case v.CanInt():
		g.status(int(min(v.Int(), 1000)), least)
	case v.CanUint():
		g.status(int(min(v.Uint(), 1000)), least)
	}
}

func (g *gather) retryField(v reflect.Value) {
	switch x := v.Interface().(type) {
	case time.Duration:
		if x > 0 {
			g.retryAfter(x)
		}
	case *time.Duration:
		if x != nil {
			g.retryAfter(*x)
		}
	}
}

// rateField collects what go-github says of a limit when it does not even ask, so that there is no
// response.
func (g *gather) rateField(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	remaining, reset := v.FieldByName("Remaining"), v.FieldByName("Reset")
	if !remaining.IsValid() || !remaining.CanInt() || !reset.IsValid() || remaining.Int() != 0 {
		return
	}
	if reset.Kind() == reflect.Struct && reset.Type() != reflect.TypeFor[time.Time]() {
		reset = reset.FieldByName("Time")
	}
	if at, ok := reset.Interface().(time.Time); ok && !at.IsZero() {
		g.attribute("ratelimit-remaining", "0")
		g.resetAt(at)
	}
}

// responseField collects what a response says without its body; also one that is embedded in a
// struct of a client.
func (g *gather) responseField(v reflect.Value, depth int) {
	if r, ok := v.Interface().(*http.Response); ok {
		if r != nil {
			g.head(r)
			if g.response == nil {
				g.response = r
			}
		}
		return
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || depth == 0 {
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.IsExported() {
			g.responseField(v.Field(i), depth-1)
		}
	}
}
