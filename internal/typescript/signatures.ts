/** The facts about a failure. Absent members are unknown. */
export interface Evidence {
  readonly source?: string;
  readonly op?: string;
  /** The HTTP status. */
  readonly status?: number;
  /** The source's own name for the kind of error, and its own code. */
  readonly type?: string;
  readonly code?: string;
  readonly exitCode?: number;
  /** The signal that ended a process, and the system error, by their names. */
  readonly signal?: string;
  readonly errno?: string;
  /** What the tool printed, or the message of the error. */
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

interface Condition {
  readonly key: string;
  readonly name?: string;
  readonly present?: boolean;
  readonly any?: readonly (string | number)[];
  readonly not?: readonly (string | number)[];
  readonly prefix?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** A form of a signature: its place in names, conditions, and the places of patterns. */
interface Rule {
  readonly s: number;
  readonly c?: readonly Condition[];
  readonly t?: readonly number[];
  readonly p?: readonly number[];
}

/**
 * An expression, the place of its lead from 1, and literals of which each match contains one. The last member is 1 if
 * a match is in the last line that is not empty.
 */
type Pattern = readonly [string, number, readonly string[] | null, 0 | 1];

const textLimit = 16384;
const leadLimit = 256;
const matchLimit = 16;
/** A short statement is in the last line of a text, if that has at most so many bytes. */
const endLimit = 512;

const compiled = new Map<string, RegExp>();

function expression(source: string): RegExp {
  let re = compiled.get(source);
  if (!re) compiled.set(source, (re = new RegExp(source, "gu")));
  return re;
}

/** Returns the name of the signature that evidence matches, or undefined. */
export function signatureOf(evidence: Evidence): string | undefined {
  const text = (evidence.text ?? "").slice(-textLimit);
  const lower = text.toLowerCase();
  const found = new Map<number, boolean>();
  const contains = (place: number): boolean => {
    let yes = found.get(place);
    if (yes === undefined) found.set(place, (yes = search(patterns[place]!, text, lower)));
    return yes;
  };
  const anyOf = (places: readonly number[] | undefined): boolean => !places || places.some(contains);
  for (const rule of rules) {
    if ((rule.c ?? []).every((c) => holds(c, evidence)) && anyOf(rule.t) && anyOf(rule.p)) return names[rule.s];
  }
  return undefined;
}

function search([source, lead, literals, atEnd]: Pattern, text: string, lower: string): boolean {
  if (text === "" || (literals && !literals.some((l) => lower.includes(l)))) return false;
  if (atEnd) {
    text = text.slice(text.replace(/[\r\n\t ]+$/, "").lastIndexOf("\n") + 1);
    if (lastBytes(text, endLimit) !== text) return false;
  }
  const re = expression(source);
  re.lastIndex = 0;
  for (let n = 0; n < matchLimit; n++) {
    const match = re.exec(text);
    if (!match) return false;
    if (lead === 0) return true;
    const line = text.lastIndexOf("\n", match.index - 1) + 1;
    const before = lastBytes(text.slice(match.index === 0 ? 0 : line, match.index), leadLimit);
    const follows = expression(leads[lead - 1]!);
    follows.lastIndex = 0;
    if (follows.test(before)) return true;
    re.lastIndex = match.index + (text.codePointAt(match.index)! > 0xffff ? 2 : 1);
  }
  return false;
}

/** Returns the end of a text that has at most so many bytes of UTF-8. */
function lastBytes(text: string, limit: number): string {
  let from = text.length;
  for (let size = 0; from > 0; from--) {
    const unit = text.charCodeAt(from - 1);
    size += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3; // half of a pair: 2
    if (size > limit) break;
  }
  return text.slice(from);
}

function holds(c: Condition, evidence: Evidence): boolean {
  const value = c.key === "attributes" ? evidence.attributes?.[c.name!] : evidence[c.key as keyof Evidence];
  if (value === undefined || value === "" || (c.key === "status" && value === 0)) return c.present === false;
  if (c.present === false || typeof value === "object") return false;
  if (c.any && !c.any.includes(value)) return false;
  if (c.not && c.not.includes(value)) return false;
  if (c.prefix && !c.prefix.some((p) => String(value).startsWith(p))) return false;
  if (c.min === undefined && c.max === undefined) return true;
  if (typeof value === "string" && !/^[0-9.eE+-]+$/.test(value)) return false;
  const n = Number(value);
  return n >= (c.min ?? -Infinity) && n <= (c.max ?? Infinity);
}
