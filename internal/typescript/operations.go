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
	var parents []string
	for _, c := range w.model.Codes {
		if c.Above != nil && !c.Abstract {
			parents = append(parents, quote(c.Value)+": "+quote(c.Above.Value))
		}
	}
	w.linef("")
	w.linef("const parents: Readonly<Record<string, string | undefined>> = { %s };", strings.Join(parents, ", "))
	w.linef("%s", narrowed)
	for _, o := range w.model.Operations {
		codes := values(o.Codes)
		name := w.name(o, strings.TrimPrefix(o.Var, "Operation")+"Error")
		w.linef("")
		w.doc("", "The errors of "+o.Value.Name+".", o.Value.Doc)
		w.linef("export type %s = ErrorOf<%s>;", name, union(codes))
		w.linef("")
		w.doc("", fmt.Sprintf("Reads an error of %s, as parseError does. A code that the operation does not declare "+
			"becomes the nearest declared code above it, or an UnknownError.", o.Value.Name))
		w.linef("export function parse%s(json: unknown): %[1]s | UnknownError {", name)
		w.linef("  return narrowed<%s>(json, %s);", name, quoted(codes, ", "))
		w.linef("}")
	}
}

// narrowed is the function that the readers of operations call.
const narrowed = `
function narrowed<E extends AppError>(json: unknown, ...declared: string[]): E | UnknownError {
  const error = parseError(json);
  if (error.code === undefined) return error;
  let code: string | undefined = error.code;
  while (code !== undefined && !declared.includes(code)) code = parents[code];
  if (code === error.code) return error as E;
  if (code !== undefined) return { ...error, code } as unknown as E;
  const { code: sentCode, category: _, context: sent, ...rest } = error;
  return { ...rest, code: undefined, category: undefined, sentCode, sent };
}`
