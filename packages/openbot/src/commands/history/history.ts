import { OpenBotError } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import type { ReadableSession } from 'oc-context-cleaner';
import { chooseEntries, type HistoryChoice } from '../../history/choose-entries.ts';
import { describeHead } from '../../history/describe-head.ts';
import { findHistory } from '../../history/find-session.ts';
import { followHistory } from '../../history/follow-history.ts';
import { readItems } from '../../history/read-items.ts';
import type { HistoryRenderer } from '../../history/render/contract.ts';
import { renderAsJson, renderAsJsonLines } from '../../history/render/json.ts';
import { renderForTerminal } from '../../history/render/terminal.ts';
import type { HISTORY_FLAGS } from './flags.ts';
import { openDirect, openPaged, type TextOutput } from './pager.ts';
import { findNamed, readSearch } from './session-search.ts';

type HistoryInput = CommandInput<typeof HISTORY_FLAGS>;

/** How many turns precede what is followed, where the flags do not say it. */
const TURNS_BEFORE_FOLLOWED = 3;

/** Shows what was said in a session. */
export async function history(input: HistoryInput): Promise<void> {
  const { flags, words } = input;
  const choice = readChoice(flags);
  const search = readSearch(input, !flags.json);
  const found = await findNamed(input, search, words[0]);
  if (!flags.follow) return show(input, found, choice);
  if (found.keptPath !== undefined) {
    throw new OpenBotError('USAGE', `${found.keptPath} was put aside: nothing is added to it`, {
      hint: 'Leave out --follow, or name the session',
    });
  }
  const output = openDirect(input);
  await followHistory({
    found,
    choice: choice ?? { by: 'last', turns: TURNS_BEFORE_FOLLOWED },
    findAgain: (name) => findHistory({ ...search, choose: undefined, warn: undefined }, name),
    renderer: chooseRenderer(input, false),
    write: (text) => output.write(text),
    lost: input.terminal.lost,
  });
}

async function show(input: HistoryInput, found: ReadableSession, choice?: HistoryChoice): Promise<void> {
  const { json, noPager } = input.flags;
  const output: TextOutput = json || noPager ? openDirect(input) : openPaged(input);
  const renderer = chooseRenderer(input, found.foundBy === 'most-recent');
  const lines = await found.open();
  try {
    const chosen = chooseEntries(lines.transcript, choice);
    let isWanted = await output.write(renderer.begin(describeHead(found, chosen)));
    let rendered = '';
    for (const item of readItems(lines, chosen)) {
      if (!isWanted) break;
      rendered += renderer.item(item);
      if (rendered.length < PIECE) continue;
      isWanted = await output.write(rendered);
      rendered = '';
      // Signals are heard in between.
      await new Promise(setImmediate);
    }
    if (isWanted) await output.write(rendered + renderer.end());
  } finally {
    await lines.close();
    await output.end();
  }
}

const PIECE = 32 * 1024;

function chooseRenderer({ flags, terminal }: HistoryInput, isMostRecent: boolean): HistoryRenderer {
  if (flags.json) return flags.follow ? renderAsJsonLines() : renderAsJson();
  return renderForTerminal({
    tools: flags.tools,
    thinking: flags.thinking,
    palette: terminal.palette,
    columns: terminal.maxLineWidth,
    isLive: flags.follow,
    isMostRecent,
  });
}

function readChoice({ turn, last, at, all }: HistoryInput['flags']): HistoryChoice | undefined {
  const given = Object.entries({ turn, last, at, all }).filter(([, value]) => value !== undefined);
  const [first, second] = given;
  if (first !== undefined && second !== undefined) {
    throw new OpenBotError('USAGE', `--${first[0]} and --${second[0]} contradict each other`, {
      hint: 'Leave one of them out',
    });
  }
  if (turn !== undefined) return readTurns(turn);
  if (last !== undefined) return { by: 'last', turns: last };
  if (at !== undefined) return { by: 'entry', id: at };
  return all ? { by: 'file' } : undefined;
}

function readTurns(text: string): HistoryChoice {
  const [, first = '', dash, last = ''] = /^(\d{1,9})(-)?(\d{1,9})?$/.exec(text.replaceAll(' ', '')) ?? [];
  const from = Number(first);
  const to = last !== '' ? Number(last) : dash === undefined ? from : Number.MAX_SAFE_INTEGER;
  if (from >= 1 && to >= from) return { by: 'turns', first: from, last: to };
  throw new OpenBotError('USAGE', `--turn must be a turn or a range of turns, not '${text}'`, {
    hint: 'Turns are counted from 1. Example: --turn 3-7',
  });
}
