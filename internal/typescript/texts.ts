
/** The texts of a language, as its generated module exports them. */
export interface Texts {
  readonly language: string;
  readonly domain: string;
  readonly format: NumberFormat;
  readonly codes: readonly { readonly code: string; readonly message: readonly TextPart[]; readonly resolution?: string }[];
}

/** How a language writes numbers and forms plurals, as in Go: Intl differs between browsers. */
export interface NumberFormat {
  readonly decimal: string;
  readonly group: string;
  readonly minus: string;
  readonly primary: number;
  readonly secondary: number;
  readonly digits: number;
  readonly plurals: string;
}

/** A text, the value of a field, or an optional part. */
export interface TextPart {
  readonly text?: string;
  readonly field?: string;
  readonly show?: string;
  readonly forms?: readonly { readonly category: string; readonly text: string }[];
  readonly group?: readonly TextPart[];
}

/** Returns the message of an error in a language, or error.message if the language has no text for the code. */
export function localized(error: AppError | UnknownError, texts: Texts): string {
  const text = textOf(error, texts);
  if (error.code === undefined || !text) return error.message;
  const context = error.context as unknown as Fields;
  const shown = (part: TextPart): string => {
    if (part.group) {
      const pieces = part.group.map(shown);
      return pieces.includes("") ? "" : pieces.join("");
    }
    return part.text ?? valueText(part, context[part.field ?? ""] ?? undefined, texts.format);
  };
  return text.message.map((part) => shown(part) || (part.show === "count" ? numberText("0", texts.format) : "")).join("");
}

/** Returns the advice for an error in a language, if the language has one. */
export function resolution(error: AppError | UnknownError, texts: Texts): string | undefined {
  return textOf(error, texts)?.resolution;
}

function textOf(error: AppError | UnknownError, texts: Texts) {
  return texts.domain === domain ? texts.codes.find((text) => text.code === error.code) : undefined;
}

// The text of a value. It is empty if the value is absent, or the length of an empty list.
function valueText(part: TextPart, value: unknown, format: NumberFormat): string {
  const list = Array.isArray(value) ? value as readonly unknown[] : undefined;
  if (part.show === "count") return list?.length ? numberText(String(list.length), format) : "";
  if (value === undefined) return "";
  switch (part.show) {
    case "plural": {
      const category = plural(String(list?.length ?? value), format);
      return part.forms?.find((form) => form.category === category)?.text ?? "";
    }
    case "number": return numberText(String(value), format);
    case "seconds": return numberText((Number(value) / 1000).toFixed(9).replace(/\.?0+$/, ""), format);
    case "duration": return durationText(Number(value));
    case "list": return printable((list ?? []).join(", "));
    case "quoted": return value === "" ? "" : quoted(String(value));
    case "first_line": return printable(String(value).split(/[\r\n]/, 1)[0] ?? "");
  }
  if (value instanceof Date) return value.toISOString().replace(/\.?0*Z$/, "Z");
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

// Characters that control a terminal or change the direction of text, and sequences that set a colour.
const unprintable = /\x1b\[[\d;:]*m|\r(?!\n)|[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

function printable(text: string): string { return text.replace(unprintable, escaped); }

function escaped(found: string): string {
  if (found === "\r") return "\\r";
  if (found.startsWith("\x1b[")) return ""; // a colour
  const code = (found.codePointAt(0) ?? 0).toString(16);
  if (code.length > 4) return `\\U${code.padStart(8, "0")}`;
  return code.length < 3 && found <= "\x7f" ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
}

// A text in quotes, as strconv.Quote writes it in Go.
function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u00([0-9a-f]{2})|\\./g, (all, hex) => hex === "07" ? "\\a" : hex === "0b" ? "\\v" : hex ? `\\x${hex}` : all)
    .replace(/(?! )[\p{C}\p{Z}]/gu, escaped);
}

function numberText(number: string, f: NumberFormat): string {
  if (/e/i.test(number)) return number;
  const digits = (text: string) => text.replace(/\d/g, (d) => String.fromCodePoint(d.charCodeAt(0) + f.digits));
  const [whole = "", fraction] = number.replace("-", "").split(".");
  const grouped = [...whole].map((digit, i) => {
    const left = whole.length - i - f.primary;
    return (i > 0 && f.secondary > 0 && left >= 0 && left % f.secondary === 0 ? f.group : "") + digits(digit);
  });
  return (number.startsWith("-") ? f.minus : "") + grouped.join("") + (fraction ? f.decimal + digits(fraction) : "");
}

// The plural category of a whole number: plurals has a letter for a million, then for 0 and so on.
function plural(number: string, f: NumberFormat): string {
  const n = BigInt(number.replace("-", ""));
  const at = Number(n < 200n ? n + 1n : n % 1000000n === 0n ? 0n : 101n + n % 100n);
  const letter = f.plurals[Math.min(at, f.plurals.length - 1)] ?? "x";
  return ["zero", "one", "two", "few", "many"].find((name) => name.startsWith(letter)) ?? "other";
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
