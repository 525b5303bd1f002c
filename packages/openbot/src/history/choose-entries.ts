import { activePath, OpenBotError, type Transcript, turnsOf } from '@openbot/sessions';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { FLAG, type Turn } from '@openbot/sessions/transcript';

/** Which part of a conversation is wanted; without a choice all of it. */
export type HistoryChoice =
  | { readonly by: 'turns'; readonly first: number; readonly last: number }
  /** So many of the last turns. */
  | { readonly by: 'last'; readonly turns: number }
  /** The turn with an entry, by its id or the beginning of it. */
  | { readonly by: 'entry'; readonly id: string }
  /** Every line in the order of the file, other branches too. */
  | { readonly by: 'file' };

export interface ChosenEntries {
  /** Indices, in the order in which they are shown. */
  readonly entries: readonly number[];
  /** By index of an entry of the conversation: its turn, counted from 1; 0 where it is in none. */
  readonly turnOf: Int32Array;
  /** Of the whole conversation. */
  readonly turns: number;
  /** What is shown of them; absent where there are none. */
  readonly shown?: { readonly first: number; readonly last: number };
  /** The entry that was asked for. */
  readonly marked?: number;
  /** Messages that are not shown because the conversation went on without them. */
  readonly offPath: number;
  /** Tells whether the conversation goes on without the entry. */
  isOffPath(index: number): boolean;
}

/** Chooses entries of a transcript by its columns alone: no line is read. */
export function chooseEntries(transcript: Transcript, choice?: HistoryChoice): ChosenEntries {
  const main = conversationOf(transcript);
  if (choice?.by === 'entry') return chooseTurnOf(transcript, main, findEntry(transcript, choice.id));
  const { path, turns } = main;
  const common = describe(transcript, main);
  if (choice?.by === 'file') {
    const entries = Array.from({ length: transcript.length }, (_, index) => index);
    return { ...common, entries, offPath: 0, ...showing(turns, 0, turns.length) };
  }
  if (choice === undefined) return { ...common, entries: path, ...showing(turns, 0, turns.length) };
  const [from, to] = rangeOf(choice, turns.length);
  return { ...common, entries: entriesOf(main, from, to), ...showing(turns, from, to) };
}

interface Conversation {
  readonly path: readonly number[];
  readonly turns: readonly Turn[];
}

function conversationOf(transcript: Transcript, leaf?: number): Conversation {
  const { entries } = activePath(transcript, leaf);
  const hasMessage = entries.some((index) => transcript.kindOf(index) === 'message');
  // A file of a subagent has nothing but entries off the main conversation.
  const path =
    hasMessage || !transcript.hasKind('message')
      ? entries
      : Array.from({ length: transcript.length }, (_, index) => index);
  return { path, turns: turnsOf(transcript, path) };
}

function describe(transcript: Transcript, { path, turns }: Conversation) {
  const turnOf = new Int32Array(transcript.length);
  const isOn = new Uint8Array(transcript.length);
  for (const index of path) isOn[index] = 1;
  for (const { turn, first, end } of turns) {
    for (let position = first; position < end; position++) turnOf[path[position]!] = turn + 1;
  }
  let offPath = 0;
  for (let index = 0; index < transcript.length; index++) {
    const isOther = isOn[index] === 0 && transcript.kindOf(index) === 'message';
    if (isOther && !transcript.has(index, FLAG.duplicate) && !transcript.has(index, FLAG.sidechain))
      offPath++;
  }
  return {
    turnOf,
    turns: turns.length,
    offPath,
    isOffPath: (index: number) => isOn[index] === 0 && transcript.idOf(index) !== undefined,
  };
}

function showing(turns: readonly Turn[], from: number, to: number): Pick<ChosenEntries, 'shown'> {
  return turns.length === 0 ? {} : { shown: { first: from + 1, last: to } };
}

/** Turns counted from 0, the end exclusive. */
function rangeOf(choice: Exclude<HistoryChoice, { by: 'entry' | 'file' }>, turns: number): [number, number] {
  if (choice.by === 'last') return [Math.max(0, turns - choice.turns), turns];
  const { first, last } = choice;
  if (first <= turns) return [first - 1, Math.min(last, turns)];
  throw new OpenBotError(
    'USAGE',
    `There is no turn ${first}: the session has ${formatQuantity(turns, 'turn')}`,
    {
      hint: turns === 0 ? 'Leave out --turn' : 'To see the last ones: --last 3',
    },
  );
}

function entriesOf({ path, turns }: Conversation, from: number, to: number): readonly number[] {
  if (turns.length === 0) return path;
  if (from >= to) return [];
  // What precedes the first turn belongs to it: the model, the thinking level.
  return path.slice(from === 0 ? 0 : turns[from]!.first, turns[to - 1]!.end);
}

function chooseTurnOf(transcript: Transcript, main: Conversation, marked: number): ChosenEntries {
  const isMain = main.path.includes(marked);
  const shown = isMain ? main : conversationOf(transcript, marked);
  const position = shown.path.indexOf(marked);
  const at = shown.turns.findIndex(({ first, end }) => position >= first && position < end);
  const turn = Math.max(0, at);
  const whole = { ...describe(transcript, shown), entries: entriesOf(shown, turn, turn + 1), marked };
  if (isMain) return { ...whole, ...showing(shown.turns, turn, turn + 1) };
  const { isOffPath, offPath } = describe(transcript, main);
  return { ...whole, isOffPath, offPath, ...showing(shown.turns, turn, turn + 1) };
}

function findEntry(transcript: Transcript, id: string): number {
  const exact = transcript.indexOf(id);
  if (exact !== undefined) return exact;
  const begun: number[] = [];
  for (let index = 0; index < transcript.length; index++) {
    if (transcript.idOf(index)?.startsWith(id) && !transcript.has(index, FLAG.duplicate)) begun.push(index);
  }
  if (begun.length === 1) return begun[0]!;
  throw new OpenBotError(
    'USAGE',
    begun.length === 0
      ? `The session has no entry '${id}'`
      : `${formatQuantity(begun.length, 'entry', 'entries')} begin with '${id}'`,
    {
      hint:
        begun.length === 0
          ? 'A clean may have removed it: its backups are in the folder backups/ beside the session, and can be read by their path'
          : 'Give more of its id',
    },
  );
}
