import type { Assignment, Word, WordPart } from 'unbash';

/** A word of a command, as far as the text of the command tells it. */
export interface ShellWord {
  /** What the command gets. Undefined where that is known only when it runs. */
  readonly text: string | undefined;
  /** What it begins with in any case. */
  readonly start: string;
  /** It may become several words, or none. */
  readonly isSplit: boolean;
  /** As it is written. */
  readonly source: string;
}

export function readShellWord(word: Word | Assignment): ShellWord {
  if (word.type === 'Assignment')
    return { text: undefined, start: `${word.name}=`, isSplit: false, source: word.text };
  const known: string[] = [];
  let isKnown = true;
  let isSplit = false;
  const parts = word.parts ?? [{ type: 'Literal', value: word.value } as const];
  for (const part of parts) {
    const text = textOf(part);
    if (text !== undefined && isKnown) known.push(text);
    if (text !== undefined) continue;
    isKnown = false;
    isSplit ||= maySplit(part, known.join(''));
  }
  const start = known.join('');
  return { text: isKnown ? start : undefined, start, isSplit, source: word.text };
}

/** A word that is known only when the command runs. */
export function unknownWord(source: string, isSplit: boolean): ShellWord {
  return { text: undefined, start: '', isSplit, source };
}

/** As rules name it: without its folder. */
export function nameOfProgram(text: string): string {
  const name = text.slice(text.lastIndexOf('/') + 1);
  // zsh starts `rm` for `=rm`. Systems that ignore case start it for `RM`, and Windows for `rm.exe`.
  return name.replace(/^=|\r$|\.exe$/gi, '').toLowerCase();
}

type Part = WordPart | { readonly type: 'Literal'; readonly value: string };

function textOf(part: Part): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString': {
      const texts = part.parts.map(textOf);
      return texts.includes(undefined) ? undefined : texts.join('');
    }
    default:
      return undefined;
  }
}

function maySplit(part: Part, before: string): boolean {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.some(({ text }) => SEVERAL.test(text));
    case 'ProcessSubstitution':
      return false;
    case 'Glob':
    case 'BraceExpansion':
      // Each of the words begins in the same way: it can be no option.
      return before === '' || before.startsWith('-');
    default:
      return true;
  }
}

/** Several words even between quotes: `$@`, `${list[@]}`, `${!name@}`. */
const SEVERAL = /^\$(?:@|\{.*[@!].*\}$)/s;
