import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';

/** A bot in a process of its own that is given one message, see chat-process.ts; resolves when the process has ended. */
export async function runOneMessage(
  stateDir: string,
  config: BotConfig,
  id: string,
  text: string,
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  const args = [programOf(import.meta.dirname, 'chat-process.ts'), stateDir, join(stateDir, 'sent')];
  const child = spawn(process.execPath, [...args, JSON.stringify(config)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  afterTest(() => void child.kill('SIGKILL'));
  child.on('message', (message) => {
    if ((message as { ready?: true }).ready) child.send({ id, from: 'ada', text });
  });
  const [code, signal] = await once(child, 'exit');
  return { code, signal };
}
