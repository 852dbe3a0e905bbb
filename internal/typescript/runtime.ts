
/** An error of this taxonomy. Narrow it by `code`, or with the guards below. */
export interface TypedError {
  readonly message: string;
  /** Whether the same call may succeed unchanged. */
  readonly retryable: boolean;
  /** Whether the call did its work: not, perhaps, or it did. Undefined if the sender does not say. */
  readonly effect?: Effect;
  /** What the error was caused by, if that was sent. */
  readonly cause?: AppError | UnknownError;
  /** The members of a problem document (RFC 9457), if it was one. */
  readonly problem?: Problem;
  /** The code that was sent, if it is not one of this taxonomy, or not one that the operation declares. */
  readonly sentCode?: string;
}

/** What a failure means for the caller. */
export type Effect = "none" | "unknown" | "done";

/** The members of RFC 9457. */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly instance?: string;
}

/** An error that this taxonomy does not describe: its `code` is undefined. */
export interface UnknownError extends TypedError {
  readonly code: undefined;
  readonly category: undefined;
  /** The HTTP status: that of the problem document, or the one that parseError was given. */
  readonly status?: number;
  /** What was sent, as it was parsed. */
  readonly sent: unknown;
}

/** The type of the errors of a code. */
export type ErrorOf<C extends Code> = Extract<AppError, { readonly code: C }>;

/** Reports whether an error is of this taxonomy. */
export function isAppError(error: AppError | UnknownError): error is AppError {
  return error.code !== undefined;
}

/** Reports whether an error has one of the codes. */
export function hasCode<C extends Code>(error: AppError | UnknownError, ...list: readonly C[]): error is ErrorOf<C> {
  return (list as readonly (string | undefined)[]).includes(error.code);
}

/**
 * Reads an error: the JSON that Go wrote, or a problem document, as text or as a parsed value. Text is
 * better, because JSON.parse rounds integers beyond 2^53. It never throws: anything that is not an
 * error of this taxonomy, or does not fit it, is an UnknownError. The message of an HTML page is its
 * title, and that of anything else without one is the status of the response.
 */
export function parseError(json: unknown, status?: number): AppError | UnknownError {
  const error = read(parsed(json), 32);
  return error.code === undefined ? described(error, json, status) : error;
}

// An unknown error with the status and a message of the response.
function described(error: UnknownError, json: unknown, status?: number): UnknownError {
  const known = error.problem?.status ?? status;
  const message = error.message || error.problem?.title || title(json) || (known ? `HTTP ${known}` : "unknown error");
  return { ...error, message, ...(known ? { status: known } : {}) };
}

// The title of an HTML page.
function title(page: unknown): string {
  const found = typeof page === "string" ? /<title[^>]*>([^<]{1,200})/i.exec(page.slice(0, 10000)) : null;
  return found?.[1]?.trim().replace(/\s+/g, " ") ?? "";
}

// The value of a text; a text that is not JSON stays.
function parsed(json: unknown): unknown {
  if (typeof json !== "string") return json;
  try {
    return JSON.parse(json.replace(wideNumbers, (match, number: string | undefined) => number ? `"${number}"` : match));
  } catch {
    return json;
  }
}

// Strings, which stay, and integers that a number cannot hold exactly, which become strings.
const wideNumbers = /"(?:[^"\\]|\\.)*"|(-?\d{16,})(?![\d.eE])/g;

type Fields = Readonly<Record<string, unknown>>;

const isCode = (code: string): boolean => Object.prototype.hasOwnProperty.call(codes, code);

// The code of an error: the sent one, or else the first that the error also is, among those that accepts allows.
function codeOf(value: Fields, accepts: (code: string) => boolean): string | undefined {
  const known = (sent: unknown): sent is string => typeof sent === "string" && accepts(aliases[sent] ?? sent);
  const sent = [value["code"]].find(known);
  const also: unknown = (value["domain"] ?? "") === domain ? value["is"] : [];
  const code = sent ?? (Array.isArray(also) && text(value["code"]) ? also.slice(0, 8).find(known) : undefined);
  return code === undefined ? undefined : aliases[code] ?? code;
}

function read(value: unknown, depth: number, accepts = isCode): AppError | UnknownError {
  if (!isObject(value)) return unknownError(value, {});
  const sent = text(value["code"]);
  const code = codeOf(value, accepts);
  const foreign = value["domain"] !== undefined && value["domain"] !== domain;
  if (code === undefined || sent === undefined || foreign) return unknownError(value, value);
  const other = (aliases[sent] ?? sent) !== code;
  const about = codes[code as Code];
  try {
    const cause = depth > 0 && isObject(value["cause"]) ? { cause: read(value["cause"], depth - 1) } : {};
    const members = problem(value);
    return {
      code, category: about.category, message: text(value["message"]) ?? text(value["detail"]) ?? "",
      retryable: typeof value["retryable"] === "boolean" ? value["retryable"] : about.retryable,
      ...effect(value),
      context: object(isObject(value["context"]) ? value["context"] : {}, contexts[contextOf[code as Code]] ?? [], other),
      ...(other ? { sentCode: sent } : {}), ...cause, ...(members ? { problem: members } : {}),
    } as unknown as AppError;
  } catch {
    return unknownError(value, value);
  }
}

function unknownError(sent: unknown, value: Fields): UnknownError {
  const code = text(value["code"]);
  const members = problem(value);
  return {
    code: undefined, category: undefined, message: text(value["message"]) ?? text(value["detail"]) ?? "",
    retryable: value["retryable"] === true, sent, ...effect(value),
    ...(code ? { sentCode: code } : {}), ...(members ? { problem: members } : {}),
  };
}

// The effect that the sender declared, if there is one.
function effect(value: Fields): { effect?: Effect } {
  const sent = value["effect"];
  return sent === "none" || sent === "unknown" || sent === "done" ? { effect: sent } : {};
}

function problem(value: Fields): Problem | undefined {
  const members: Record<string, unknown> = {};
  for (const key of ["type", "title", "detail", "instance"]) {
    if (typeof value[key] === "string") members[key] = value[key];
  }
  if (typeof value["status"] === "number") members["status"] = value["status"];
  return "status" in members || "title" in members ? members as Problem : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

// A field: its name, how it is decoded, and whether it is required.
type Field = readonly [name: string, decode: (value: unknown) => unknown, required: boolean];

// An absent required field has the zero value of its type, as in Go; an absent optional one stays absent. If lenient
// is set, a value that does not fit is absent.
function object(value: Fields, fields: readonly Field[], lenient = false): Fields {
  const out: Record<string, unknown> = {};
  for (const [name, decode, required] of fields) {
    const given = value[name];
    try {
      if (given !== undefined && given !== null) out[name] = decode(given);
      else if (required) out[name] = decode(undefined);
    } catch (problem) {
      if (!lenient) throw problem;
      if (required) out[name] = decode(undefined);
    }
  }
  return out;
}

function fail(): never {
  throw new TypeError("a value does not fit its field");
}

const decode = {
  string: (v: unknown = "") => typeof v === "string" ? v : fail(),
  boolean: (v: unknown = false) => typeof v === "boolean" ? v : fail(),
  any: (v: unknown) => v,
  strings: (v: unknown = []) => Array.isArray(v) ? v.map((item) => decode.string(item)) : fail(),
  words: (...words: string[]) => (v: unknown) => v === undefined || words.includes(v as string) ? v : fail(),
  object: (list: readonly Field[]) => (v: unknown = {}) => isObject(v) ? object(v, list) : fail(),
  objects: (list: readonly Field[]) => (v: unknown = []) => Array.isArray(v) ? v.map(decode.object(list)) : fail(),
  number: (v: unknown = 0) => {
    const n = typeof v === "string" && v !== "" ? Number(v) : v;
    return typeof n === "number" && (v === "NaN" || !Number.isNaN(n)) ? n : fail();
  },
  integer: (v: unknown = "0") => {
    const digits = typeof v === "number" && Number.isInteger(v) ? BigInt(v).toString() : v;
    return typeof digits === "string" && /^-?\d+$/.test(digits) ? digits : fail();
  },
  date: (v: unknown = "0001-01-01T00:00:00Z") => {
    const date = new Date(decode.string(v));
    return Number.isNaN(date.getTime()) ? fail() : date;
  },
  // Milliseconds of what time.Duration prints, such as 1h2m3.5s.
  milliseconds: (v: unknown = "0s") => {
    const [, sign, rest] = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+)$/.exec(decode.string(v)) ?? fail();
    let sum = 0;
    for (const [, number, unit] of rest!.matchAll(/([\d.]+)(h|ms|m|s|us|µs|μs|ns)/g)) sum += Number(number) * units[unit!]!;
    return sign === "-" ? -sum : sum;
  },
};

const units: Readonly<Record<string, number>> = { h: 3600000, m: 60000, s: 1000, ms: 1, us: 1e-3, "µs": 1e-3, "μs": 1e-3, ns: 1e-6 };
