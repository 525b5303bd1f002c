/** Commands in a process that is killed in the middle of them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import type { SentLine, ToParent } from './chat-process.ts';

const CHILD = join(import.meta.dirname, 'chat-process.ts');
const CONFIG = {
  channels: { chat: { allowFrom: ['ada'] } },
  messages: { queue: { mode: 'followup', debounceMs: 0 } },
};

class Killed {
  readonly folder = makeTempFolder();
  readonly stateDir = join(this.folder, 'state');
  readonly #sentFile = join(this.folder, 'sent.jsonl');
  #next = 0;

  /** One after another; resolves when all are answered, or the process was killed. */
  async write(texts: readonly string[], killAt?: string): Promise<void> {
    const child = await this.#start(killAt);
    const exit = once(child, 'exit');
    for (const text of texts) {
      const before = this.sent.length;
      const id = `m${++this.#next}`;
      child.send({ id, from: 'ada', text }, () => {});
      // The network delivers it twice.
      child.send({ id, from: 'ada', text }, () => {});
      while (this.sent.length === before && child.exitCode === null && child.signalCode === null)
        await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    if (child.connected && killAt === undefined) child.send('end');
    await exit;
    if (killAt !== undefined) expect(child.signalCode).toBe('SIGKILL');
  }

  get sent(): string[] {
    if (!existsSync(this.#sentFile)) return [];
    const lines = readFileSync(this.#sentFile, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as SentLine).text);
  }

  get entry(): Record<string, unknown> {
    const path = join(this.stateDir, 'agents/main/sessions/sessions.json');
    return JSON.parse(readFileSync(path, 'utf8'))['agent:main:main'];
  }

  get transcript(): string {
    const [path] = globSync(join(this.stateDir, 'agents/main/sessions/*.jsonl'));
    return readFileSync(path!, 'utf8');
  }

  async #start(killAt: string | undefined): Promise<ChildProcess> {
    const args = [this.stateDir, this.#sentFile, JSON.stringify(CONFIG), ...(killAt ? [killAt] : [])];
    const child = fork(CHILD, args, {
      execArgv: ['--conditions=openbot-source', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    afterTest(() => child.kill('SIGKILL'));
    const [message] = (await once(child, 'message')) as [ToParent];
    expect(message).toEqual({ ready: true });
    return child;
  }
}

test('a command is answered once, before and after its reply was kept', async () => {
  const chat = new Killed();
  await chat.write(['/label Kept'], 'before:label');
  expect(chat.sent).toEqual([]);
  expect(chat.entry).toMatchObject({ label: 'Kept' });
  await chat.write(['/think high'], ':0');
  await chat.write(['/whoami']);
  expect(chat.sent.map((text) => text.split('\n')[0])).toEqual([
    'label: Kept, for this session.',
    'think: high, for this session.',
    expect.stringContaining('ada'),
  ]);
  expect(globSync(join(chat.stateDir, 'agents/main/sessions/*.jsonl'))).toEqual([]);
});

test('a clean, a restore and a compaction that were done are not done again', async () => {
  const chat = new Killed();
  await chat.write(['list the files', 'list the files again']);
  const before = chat.transcript;
  await chat.write(['/clean extreme'], 'before:Cleaned');
  const cleaned = chat.transcript;
  expect(cleaned.length).toBeLessThan(before.length);
  await chat.write(['/restore'], 'before:Restored');
  expect(chat.transcript).toBe(before);
  // Finishes the restore first.
  await chat.write(['/compact'], 'before:Compacted');
  expect(chat.transcript.slice(0, before.length)).toBe(before);
  const compacted = chat.transcript;
  await chat.write(['/whoami']);
  expect(chat.transcript).toBe(compacted);
  expect(chat.entry).toMatchObject({ compactionCount: 1 });
  // What is asked beside the conversation does not wait for it.
  expect(
    chat.sent
      .slice(2)
      .map((text) => text.split(':')[0])
      .sort(),
  ).toEqual(['Cleaned', 'Compacted', 'Restored', 'You']);
});
