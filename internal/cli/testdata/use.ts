import { codes, hasCode, inCaller, isAppError, isShape, parseError } from "./shapes.js";
import type { AppError, Code, ErrorOf, ShapeContext, ShapeWord, UnknownError } from "./shapes.js";

// The compiler checks the types; nothing here runs but the end.
export function describe(error: AppError | UnknownError): string {
  switch (error.code) {
    case "SHAPE_BROKEN":
      return error.context.text + error.context.list?.join() + wait(error) + error.context.violations?.[0]?.field;
    case "SHAPE_LATE":
      return error.context.at?.toISOString() ?? String(error.context.wait ?? 0 + 1);
    case "SIZE_ZERO":
      return error.context.requestId ?? "";
    case undefined:
      return error.sentCode ?? "";
    default: {
      const none: never = error;
      return none;
    }
  }
}

function wait(error: ErrorOf<"SHAPE_BROKEN">): bigint {
  const context: ShapeContext = error.context;
  const word: ShapeWord | undefined = context.word;
  return word === "RED" ? BigInt(context.wide) : 0n;
}

export function narrow(error: AppError | UnknownError): string {
  if (inCaller(error)) {
    const code: "SHAPE_BROKEN" = error.code;
    return code;
  }
  if (hasCode(error, "SIZE_ZERO")) {
    const code: "SIZE_ZERO" = error.code;
    return code;
  }
  return isShape(error) ? error.context.text : "";
}

export function category(error: AppError | UnknownError): string {
  if (isAppError(error)) {
    const code: Code = error.code;
    return codes[code].category;
  }
  // @ts-expect-error: an unknown error has no context
  return error.context;
}

// @ts-expect-error: not a code
export const wrong: Code = "SHAPE_BENT";

declare const process: { argv: string[]; stdout: { write(text: string): void } };
for (const text of JSON.parse(process.argv[2] ?? "[]") as unknown[]) {
  process.stdout.write(JSON.stringify(parseError(text)) + "\n");
}
