import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import {
  cutEnd,
  cutMiddle,
  formatAge,
  formatCount,
  layOutTable,
  oneLine,
  type TableColumn,
} from '@openbot/sessions/terminal-text';
import { type Letter, lookIntoLetters, lookIntoMessages } from '../../kept-messages/look-into-messages.ts';
import type { OUTBOX_LIST_FLAGS } from './flags.ts';

const SHOWN = 50;

/** Lists what could not be sent. */
export async function outboxList({
  flags,
  env,
  terminal,
}: CommandInput<typeof OUTBOX_LIST_FLAGS>): Promise<void> {
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const limit = flags.limit ?? (flags.json ? Number.MAX_SAFE_INTEGER : SHOWN);
  const letters = lookIntoLetters(stateDir, { limit, all: flags.all });
  if (flags.json) return writeJson(terminal, letters);
  const { waiting = 0, sending = 0 } = (flags.all ? undefined : lookIntoMessages(stateDir)?.outbox) ?? {};
  const more = waiting + sending;
  const rest =
    more === 0
      ? ''
      : `${formatCount(more)} ${more === 1 ? 'waits' : 'wait'} to be sent: openbot outbox list --all\n`;
  if (letters.length === 0) {
    terminal.say(flags.all ? 'Nothing waits to be sent.\n' : `No dead letters.\n${rest}`);
    return;
  }
  const now = Date.now();
  const [titles = '', ...lines] = layOutTable(columnsAt(now), letters, terminal.maxLineWidth);
  const dead = letters.filter(({ state }) => state === 'dead').length;
  terminal.say(`${[terminal.palette.dim(titles), ...lines].join('\n')}\n`);
  if (dead > 0)
    terminal.say(
      `\n${formatCount(dead)} will not be tried again. 'openbot outbox retry <id>' sends one, 'openbot outbox drop <id>' removes it.\n${rest}`,
    );
  else terminal.say("\n'openbot outbox drop <id>' removes one that is not to be sent.\n");
}

function columnsAt(now: number): TableColumn<Letter>[] {
  return [
    { title: 'ID', show: ({ id }) => String(id), isFigure: true },
    { title: 'STATE', show: ({ state }) => state, leave: 1 },
    { title: 'WHEN', show: ({ at, createdAt, state }) => formatAge(state === 'dead' ? at : createdAt, now) },
    {
      title: 'TO',
      show: ({ channel, to }) => oneLine(`${channel}:${to}`),
      cut: cutMiddle,
      least: 8,
      good: 16,
    },
    { title: 'ERROR', show: ({ error = '' }) => oneLine(error), cut: cutEnd, least: 12, good: 24, leave: 2 },
    {
      title: 'TEXT',
      show: ({ text, mediaUrls }) => oneLine(text ?? mediaUrls.join(' ')),
      cut: cutEnd,
      least: 12,
      good: 24,
      leave: 3,
    },
  ];
}
