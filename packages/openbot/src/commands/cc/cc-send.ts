import { randomUUID } from 'node:crypto';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { sendFollowUp } from '../../coding-runs/follow-ups.ts';
import { RunRecords } from '../../coding-runs/run-records.ts';
import { openState } from '../../state/open-state.ts';
import type { SEND_FLAGS } from './flags.ts';

/** Tells a coding run of another process something more. */
export async function ccSend(input: CommandInput<typeof SEND_FLAGS>): Promise<void> {
  const { flags, env, terminal, words } = input;
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  const [id = '', word = ''] = words;
  const records = new RunRecords(stateDir);
  const run = records.get(id.trim().toLowerCase());
  if (run === undefined) {
    const open = records.list().filter(({ endedAt }) => endedAt === undefined);
    const others = open.map((one) => `${one.id} (${one.repoPath})`).join(', ');
    throw new OpenBotError('USAGE', `There is no coding run ${id}`, {
      hint: open.length === 0 ? 'No coding run is open.' : `Open are: ${others}`,
    });
  }
  const text = word === '-' ? (await input.readInput()).trim() : word.trim();
  if (text === '') {
    const example = `openbot cc send ${run.id} "also fix the docs"`;
    throw new OpenBotError('USAGE', 'There is no text to send', { hint: `Example: ${example}` });
  }
  const state = await openState(stateDir, { env });
  const key = `coding:${run.id}:sent:${randomUUID()}`;
  try {
    const result = await sendFollowUp(state.outbox, run, { key, text, now: Date.now() });
    if (flags.json) writeJson(terminal, { id: run.id, state: result });
    else terminal.say(describe(result, run.id));
  } finally {
    await state.close();
  }
}

function describe(result: 'taken' | 'waiting', id: string): string {
  return result === 'taken'
    ? `The coding run ${printable(id)} has it.\n`
    : `It is kept, and the coding run ${printable(id)} gets it when its process looks.\n`;
}
