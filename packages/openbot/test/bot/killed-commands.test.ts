/** Commands in a process that is killed in the middle of them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { openState } from '../../src/state/open-state.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import type { SentLine, ToParent } from './chat-process.ts';

const CHILD = programOf(import.meta.dirname, 'chat-process.ts');
const CONFIG: BotConfig = {
  channels: { chat: { allowFrom: ['ada'] } },
  messages: { queue: { mode: 'followup', debounceMs: 0 } },
};

class Killed {
  readonly folder = makeTempFolder();
  readonly stateDir = join(this.folder, 'state');
  readonly #sentFile = join(this.folder, 'sent.jsonl');
  readonly #untaken = new Map<string, string>();
  #next = 0;

  /** One after another; resolves when all are answered, or the process was killed. */
  async write(texts: readonly string[], killAt?: string, config: BotConfig = CONFIG): Promise<void> {
    const child = await this.#start(killAt, config);
    const exit = once(child, 'exit');
    for (const text of texts) {
      const before = this.sent.length;
      this.#untaken.set(`m${++this.#next}`, text);
      // The network delivers it twice, and again what a killed process did not take.
      const network = [...this.#untaken, ...this.#untaken];
      for (const [id, untaken] of network) child.send({ id, from: 'ada', text: untaken }, () => {});
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

  async #start(killAt: string | undefined, config: BotConfig): Promise<ChildProcess> {
    const args = [this.stateDir, this.#sentFile, JSON.stringify(config), ...(killAt ? [killAt] : [])];
    const child = fork(CHILD, args, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    afterTest(() => child.kill('SIGKILL'));
    const [message] = (await once(child, 'message')) as [ToParent];
    expect(message).toEqual({ ready: true });
    child.on('message', (told: ToParent) => {
      if ('taken' in told) this.#untaken.delete(told.taken);
    });
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

test('a turn whose sender was removed from the list meanwhile is not taken up again', async () => {
  const chat = new Killed();
  await chat.write(['/new list the files'], 'wrote:toolCall');
  expect(chat.transcript).not.toContain('toolResult');
  const without: BotConfig = { ...CONFIG, channels: { chat: { allowFrom: ['eve'] } } };
  await chat.write(['more'], undefined, without);
  // What everybody may ask is answered; what was begun is closed, so that the conversation can go on.
  const said = () => chat.sent.map((text) => text.split('\n')[0]);
  expect(said()).toEqual(['You said: more']);
  expect(chat.transcript).toContain('The process ended before this call had a result.');
  // Its answer was whole, and is not sent either.
  await chat.write(['/new think of it'], 'before:You said');
  await chat.write(['no more'], undefined, without);
  expect(said()).toEqual(['You said: more', 'You said: no more']);
  const state = await openState(chat.stateDir);
  const reason = 'a command of a sender who may give none';
  const conversation = { channel: 'chat', accountId: 'default', conversationId: 'ada' };
  const all = await state.inbox.recent(conversation, 10, { sessionKey: 'agent:main:main' });
  expect(all).toMatchObject([
    { state: 'dropped', reason },
    { state: 'answered' },
    { state: 'dropped', reason },
    { state: 'answered' },
  ]);
  await state.close();
});

test('a clean that an agent has planned is done by the process that finishes its turn', async () => {
  const chat = new Killed();
  mkdirSync(join(chat.stateDir, 'scripts'), { recursive: true });
  const turns = [
    {
      when: 'tidy',
      steps: [{ tool: 'context_clean', args: { preset: 'extreme' } }, { text: 'Planned.' }],
    },
    { when: 'work', steps: [{ tool: 'list_files' }, { text: 'Worked.' }] },
    { steps: [{ text: 'Read: {{prompt}}' }] },
  ];
  writeFileSync(join(chat.stateDir, 'scripts/tidy.json'), JSON.stringify({ turns }));
  const config: BotConfig = { ...CONFIG, agents: { defaults: { model: 'script/tidy' } } };
  await chat.write(['work', 'tidy up'], 'before:Planned', config);
  expect(chat.entry).toMatchObject({ pendingClean: { preset: 'extreme' } });
  expect(chat.transcript).toContain('"type":"toolCall"');
  await chat.write(['hello'], undefined, config);
  expect(chat.sent).toEqual(['Worked.', 'Planned.', 'Read: hello']);
  expect(chat.transcript).toMatch(/System: \[[^\]]*\] [^"]* was cleaned/);
  expect(chat.transcript).not.toContain('"type":"toolCall"');
  expect(chat.entry).toMatchObject({ lastClean: { preset: 'extreme', savedTokens: expect.any(Number) } });
  expect(chat.entry).not.toHaveProperty('pendingClean');
});
