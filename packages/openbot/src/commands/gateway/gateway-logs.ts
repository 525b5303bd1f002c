import { resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { gatewayFiles } from '../../gateway-process/gateway-files.ts';
import { followLog, readLastLines } from '../../gateway-process/read-log.ts';
import { abortOnSignals } from '../abort-on-signals.ts';
import type { GATEWAY_LOGS_FLAGS } from './flags.ts';

const SHOWN = 50;

/** Prints the end of the gateway's log, and with `--follow` what is added. */
export async function gatewayLogs(input: CommandInput<typeof GATEWAY_LOGS_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  if (flags.follow && flags.json)
    throw new OpenBotError('USAGE', '--follow and --json contradict each other', {
      hint: 'Leave one of them out',
    });
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const { log: path } = gatewayFiles(stateDir);
  const lines = readLastLines(path, flags.lines ?? SHOWN);
  if (flags.json) return writeJson(terminal, { path, lines });
  // What a crash printed is in it too.
  const show = (text: string) => terminal.write(text.split('\n').map(printable).join('\n'));
  show(lines.map((line) => `${line}\n`).join(''));
  if (lines.length === 0 && !flags.follow) terminal.warn(`There is no log yet: ${printable(path)}\n`);
  if (!flags.follow) return;
  const ending = new AbortController();
  const end = () => ending.abort();
  const signals = abortOnSignals(end, end);
  await followLog(path, { signal: ending.signal, onText: show });
  signals.release();
}
