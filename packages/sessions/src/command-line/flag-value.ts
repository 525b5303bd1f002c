import { OpenBotError } from '../errors.ts';
import { findNearest } from '../terminal-text/nearest-name.ts';
import { bareOf, type Flag, longFlag } from './flags.ts';

export type FlagValue = string | number | boolean | readonly string[];

/** A flag as it is written on the command line. */
interface GivenFlag {
  readonly key: string;
  readonly flag: Exclude<Flag, { kind: 'boolean' }>;
  /** `--keep` or `-n`. */
  readonly written: string;
  /** Undefined if the flag has no value. */
  readonly text?: string;
  /** The command line that explains it: `occ edit --help`. */
  readonly explainedBy: string;
}

/** The value of a flag, converted and checked. */
export function readFlagValue(given: GivenFlag): string | number | true {
  const { key, flag, written, text } = given;
  const bare = bareOf(flag);
  if (text === undefined) {
    if (bare !== undefined) return bare;
    const isText = flag.kind === 'text' || flag.kind === 'path' || flag.kind === 'list';
    throw new OpenBotError('USAGE', `${written} needs a value`, {
      hint: `Write ${written} <${flag.value}>${isText ? `; one that begins with a dash is written ${longFlag(key)}=-…` : ''}`,
    });
  }
  // A list may get nothing from a script.
  if (text.trim() === '' && flag.kind !== 'list') {
    throw new OpenBotError('USAGE', `${written} is empty`, {
      hint:
        bare === undefined
          ? `Leave it out, or give it a value: ${written} ${flag.example ?? `<${flag.value}>`}`
          : `Write ${written}=<${flag.value}>, or ${written} alone`,
    });
  }
  const value = convert(flag, text);
  if (value !== undefined) return value;
  throw new OpenBotError('USAGE', `${written} must be ${describeValue(flag)}, not '${text}'`, {
    hint: adviseValue(given, text),
  });
}

/** Undefined for a text that is no such value. */
function convert(flag: GivenFlag['flag'], text: string): string | number | undefined {
  if (flag.kind === 'path') return text;
  if (flag.kind === 'text' || flag.kind === 'list') return text.trim();
  if (flag.kind === 'choice') return flag.choices.includes(text) ? text : undefined;
  const { whole, least = 0, most = Number.POSITIVE_INFINITY, prefix = '' } = flag;
  const digits = text.trim().startsWith(prefix) ? text.trim().slice(prefix.length) : text.trim();
  if (!(whole ? /^\d+$/ : /^(\d+(\.\d+)?|\.\d+)$/).test(digits)) return undefined;
  const number = Number(digits);
  const isExact = whole ? Number.isSafeInteger(number) : Number.isFinite(number);
  return isExact && number >= least && number <= most ? number : undefined;
}

function describeValue(flag: GivenFlag['flag']): string {
  if (flag.kind === 'choice') return `one of ${flag.choices.join(', ')}`;
  if (flag.kind !== 'number' && flag.kind !== 'seconds') return 'a text';
  const { whole, least = 0, most, mustBe } = flag;
  if (mustBe !== undefined) return mustBe;
  const what = whole ? 'a whole number' : 'a number';
  const unit = flag.kind === 'seconds' ? `${what} of seconds` : what;
  return most === undefined ? `${unit} of at least ${least}` : `${unit} from ${least} to ${most}`;
}

function adviseValue({ key, flag, written, explainedBy }: GivenFlag, text: string): string {
  const nearest = flag.kind === 'choice' ? findNearest(text, flag.choices) : undefined;
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  const example = flag.example ?? (flag.kind === 'choice' ? flag.choices[0] : undefined);
  if (example !== undefined) return `Example: ${longFlag(key)} ${example}`;
  const between = bareOf(flag) === undefined ? ' ' : '=';
  return `Write ${written}${between}<${flag.value}>; '${explainedBy}' explains it`;
}
