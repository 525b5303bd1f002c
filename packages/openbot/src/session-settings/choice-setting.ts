import type { SessionEntry } from '@openbot/sessions';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { EntryPatch, ReadValue, SessionSetting, SettingPlace } from './contract.ts';

/** What removes a setting where it does not say otherwise. */
export const UNSET_WORDS = ['default', 'inherit', 'reset'] as const;

/** A setting with one of a few words as its value. */
export function makeChoice(declared: {
  readonly name: string;
  readonly summary: string;
  readonly values: readonly string[];
  /** Other spellings of a value. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly fields: readonly (keyof SessionEntry)[];
  readonly canBeInside?: boolean;
  /** Why a session cannot have it. */
  refuse?(place: SettingPlace): string | undefined;
  toPatch(value: string): EntryPatch;
  show(place: SettingPlace): string;
}): SessionSetting {
  const {
    name,
    summary,
    values,
    aliases = {},
    fields,
    canBeInside = false,
    refuse,
    toPatch,
    show,
  } = declared;
  const find = (text: string): string | undefined => {
    const word = text.trim().toLowerCase();
    const value = Object.hasOwn(aliases, word) ? aliases[word] : word;
    return value !== undefined && values.includes(value) ? value : undefined;
  };
  return {
    name,
    summary,
    values: values.join('|'),
    fields,
    unsetBy: UNSET_WORDS,
    read: (text, place) => {
      const problem = refuse?.(place);
      if (problem !== undefined) return { isRead: false, problem };
      const value = find(text);
      return value === undefined ? explainValues(text, values) : { isRead: true, patch: toPatch(value) };
    },
    show,
    ...(canBeInside && { countWords: ([first = '']) => (find(first) === undefined ? 0 : 1) }),
  };
}

function explainValues(text: string, values: readonly string[]): ReadValue {
  const [word = ''] = text.trim().split(/\s/);
  const nearest = findNearest(word, values);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return {
    isRead: false,
    problem: `${JSON.stringify(text)} is none of ${[...values, UNSET_WORDS[0]].join(', ')}.${meant}`,
  };
}
