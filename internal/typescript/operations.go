package typescript

import (
	"fmt"
	"strings"
)

// operations writes, for each operation, the type of its errors and the function that reads them.
func (w *writer) operations() {
	if len(w.model.Operations) == 0 {
		return
	}
	w.linef("%s", narrowed)
	for _, o := range w.model.Operations {
		codes := values(o.Codes)
		name := w.name(o, strings.TrimPrefix(o.Var, "Operation")+"Error")
		w.linef("")
		w.doc("", "The errors of "+o.Value.Name+".", o.Value.Doc)
		w.linef("export type %s = ErrorOf<%s>;", name, union(codes))
		w.linef("")
		w.doc("", fmt.Sprintf("Reads an error of %s, as parseError does. A code that the operation does not declare "+
			"becomes a declared one that the error also is, as the code above it, otherwise an UnknownError.",
			o.Value.Name))
		w.linef("export function parse%s(json: unknown, status?: number): %[1]s | UnknownError {", name)
		w.linef("  return narrowed<%s>(json, status, %s);", name, quoted(codes, ", "))
		w.linef("}")
	}
}

// narrowed is the function that the readers of operations call.
const narrowed = `
function narrowed<E extends AppError>(
  json: unknown, status: number | undefined, ...declared: string[]
): E | UnknownError {
  const value = parsed(json);
  const error = read(value, 32, (code) => declared.includes(code));
  return error.code === undefined ? described(error, json, status) : error as E;
}`
