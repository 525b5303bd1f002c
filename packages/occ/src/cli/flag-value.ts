import { OpenBotError } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import { DEFAULT_WAIT_SECONDS } from '../commands/command.ts';
import { SOURCE_NAMES } from '../storage/contract/found-session.ts';
import type { CommandName, FlagSpec, ValueKind } from './flag-table.ts';

const SOURCE_CHOICES: readonly string[] = [...SOURCE_NAMES, 'all'];

/** What a value must be, for the kinds that not every text is. */
const MUST_BE: Partial<Record<ValueKind, string>> = {
  count: 'a whole number of at least 0',
  positive: 'a whole number of at least 1',
  percent: 'a number from 0 to 100',
  seconds: 'a number of seconds of at least 0',
  source: `one of ${SOURCE_CHOICES.join(', ')}`,
};

/** The value of a flag, checked. A flag that may stand alone gives what its bare form means. */
export function readFlagValue(
  spec: FlagSpec,
  written: string,
  text: string | undefined,
  command: CommandName | undefined,
): string | number | true {
  const { kind, placeholder, optional } = spec.value!;
  if (text === undefined) {
    if (!optional)
      throw new OpenBotError('USAGE', `${written} needs a value`, {
        hint: `Write ${written} <${placeholder}>`,
      });
    return kind === 'seconds' ? DEFAULT_WAIT_SECONDS : true;
  }
  if (text.trim() === '') {
    throw new OpenBotError('USAGE', `${written} was given an empty value`, {
      hint: optional
        ? `Write ${written}=<${placeholder}>, or ${written} alone`
        : `Write ${written} <${placeholder}>`,
    });
  }
  const value = convert(kind, text);
  if (value !== undefined) return value;
  const nearest = kind === 'source' ? findNearest(text, SOURCE_CHOICES) : undefined;
  throw new OpenBotError('USAGE', `${written} must be ${MUST_BE[kind]}, not '${text}'`, {
    hint:
      nearest === undefined
        ? `Write ${written}${optional ? '=' : ' '}<${placeholder}>; '${command === undefined ? 'occ' : `occ ${command}`} --help' explains it`
        : `Did you mean ${nearest}?`,
  });
}

/** Undefined for a text that is no such value. */
function convert(kind: ValueKind, text: string): string | number | undefined {
  if (kind === 'text' || kind === 'path') return text;
  if (kind === 'source') return SOURCE_CHOICES.includes(text) ? text : undefined;
  const isWhole = kind === 'count' || kind === 'positive';
  const number = (isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number) || (isWhole && !Number.isSafeInteger(number))) return undefined;
  if (kind === 'positive' && number < 1) return undefined;
  if (kind === 'percent' && number > 100) return undefined;
  return number;
}
