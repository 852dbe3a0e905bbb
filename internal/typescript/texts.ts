
/** The texts of a language: what the module of the language beside this one exports. */
export interface Texts {
  readonly language: string;
  readonly domain: string;
  readonly format: NumberFormat;
  readonly codes: { readonly [C in Code]?: { readonly message: readonly TextPart[]; readonly resolution?: string } };
}

/** How a language writes numbers and forms plurals, as in Go: Intl differs between browsers. */
export interface NumberFormat {
  readonly decimal: string;
  readonly group: string;
  readonly minus: string;
  readonly primary: number;
  readonly secondary: number;
  readonly zero: number;
  readonly plurals: string;
}

/** A text, the value of a field, or an optional part. */
export type TextPart = string | FieldText | readonly (string | FieldText)[];

export interface FieldText {
  readonly field: string;
  readonly show?: string;
  readonly forms?: Readonly<Record<string, string>>;
}

/** Returns the message of an error in a language, or error.message if the language has no text for the code. */
export function localized(error: AppError | UnknownError, texts: Texts): string {
  const text = textOf(error, texts);
  if (error.code === undefined || !text) return error.message;
  const context = error.context as unknown as Fields;
  const shown = (part: string | FieldText) =>
    typeof part === "string" ? part : valueText(part, context[part.field] ?? undefined, texts.format);
  return text.message.map((part) => {
    if (typeof part === "string" || "field" in part) {
      return shown(part) || (typeof part !== "string" && part.show === "count" ? "0" : "");
    }
    const pieces = part.map(shown);
    return pieces.includes("") ? "" : pieces.join("");
  }).join("");
}

/** Returns the advice for an error in a language, if the language has one. */
export function resolution(error: AppError | UnknownError, texts: Texts): string | undefined {
  return textOf(error, texts)?.resolution;
}

function textOf(error: AppError | UnknownError, texts: Texts) {
  return error.code === undefined || texts.domain !== domain ? undefined : texts.codes[error.code];
}

// The text of a value. It is empty if the value is absent, or the length of an empty list.
function valueText(part: FieldText, value: unknown, format: NumberFormat): string {
  const list = Array.isArray(value) ? value as readonly unknown[] : undefined;
  if (part.show === "count") return list?.length ? numberText(String(list.length), format) : "";
  if (value === undefined) return "";
  switch (part.show) {
    case "plural": return part.forms?.[plural(String(list?.length ?? value), format)] ?? part.forms?.["other"] ?? "";
    case "number": return numberText(String(value), format);
    case "seconds": return numberText((Number(value) / 1000).toFixed(9).replace(/\.?0+$/, ""), format);
    case "duration":
    case "millis": return durationText(Number(value));
    case "list": return printable((list ?? []).join(", "));
    case "quoted": return JSON.stringify(value).replace(/\\u00([0-9a-f]{2})|\\./g, (all, hex) => hex ? `\\x${hex}` : all)
      .replace(unprintable, escaped);
    case "first_line": return printable(/^.*?(?=\r?\n|$)/s.exec(String(value))?.[0] ?? "");
  }
  if (value instanceof Date) return value.toISOString().replace(/\.?0*Z$/, "Z");
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

// Characters that control a terminal or change the direction of text, and sequences that set a colour.
const unprintable = /\x1b\[[\d;:]*m|\r(?!\n)|[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

function printable(text: string): string { return text.replace(unprintable, escaped); }

function escaped(found: string): string {
  if (found.length > 1 || found === "\r") return found === "\r" ? "\\r" : "";
  const code = found.charCodeAt(0).toString(16);
  return code.length < 3 && found <= "\x7f" ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
}

function numberText(number: string, f: NumberFormat): string {
  if (/e/i.test(number)) return number;
  const digits = (text: string) => text.replace(/\d/g, (d) => String.fromCodePoint((f.zero || 48) + Number(d)));
  const [whole = "", fraction] = number.replace("-", "").split(".");
  const grouped = [...whole].map((digit, i) => {
    const left = whole.length - i;
    const isStart = f.primary > 0 && left >= f.primary && (left - f.primary) % Math.max(f.secondary, 1) === 0;
    return (i > 0 && isStart ? f.group : "") + digits(digit);
  });
  return (number.startsWith("-") ? f.minus : "") + grouped.join("") + (fraction ? f.decimal + digits(fraction) : "");
}

const categories: Readonly<Record<string, string>> = { z: "zero", o: "one", t: "two", f: "few", m: "many", x: "other" };

// The plural category of a whole number: that of 0 to 199 and of a million, in runs of a letter and a length.
function plural(number: string, f: NumberFormat): string {
  const n = BigInt(number.replace("-", ""));
  let i = Number(n < 200n ? n : n % 1000000n === 0n ? 200n : 100n + n % 100n);
  for (const [, letter, run] of f.plurals.matchAll(/([a-z])(\d+)/g)) {
    if (i < Number(run)) return categories[letter!] ?? "other";
    i -= Number(run);
  }
  return "other";
}

// A duration as in Go's messages, such as 1m30s.
function durationText(ms: number): string {
  const size = Math.abs(ms);
  const unit = size >= 60000 ? 1000 : size >= 1000 ? 10 : size >= 1 ? 1 : 1e-6;
  const rounded = Math.round(size / unit) * unit;
  const decimal = (n: number, places: number) => String(Number(n.toFixed(places)));
  const sign = ms < 0 ? "-" : "";
  if (rounded === 0) return "0s";
  if (rounded < 1e-3) return sign + decimal(rounded * 1e6, 0) + "ns";
  if (rounded < 1) return sign + decimal(rounded * 1e3, 3) + "µs";
  if (rounded < 1000) return sign + rounded + "ms";
  const hours = Math.floor(rounded / 3600000), minutes = Math.floor(rounded % 3600000 / 60000);
  const seconds = rounded % 60000;
  return sign + (hours ? hours + "h" : "") + (minutes || hours && seconds ? minutes + "m" : "") +
    (seconds ? decimal(seconds / 1000, 2) + "s" : "");
}
