import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { BotHome } from '../bot/bot-home.ts';
import type { ChatMessage, SentLine, ToParent } from '../bot/chat-process.ts';

const CHILD = programOf(import.meta.dirname, '../bot/chat-process.ts');
const TEXT = 'The parcel has arrived.';
const SEND = { tool: 'message', args: { text: TEXT } };
const CONFIG = { agents: { defaults: { model: 'script/sender' } } };

/** A bot in a process of its own. It is told one message, and ends by itself or is asked to. */
class Killed {
  readonly home = new BotHome();
  readonly #sentFile = join(this.home.stateDir, '..', 'sent.jsonl');

  async run(message?: ChatMessage): Promise<NodeJS.Signals | null> {
    // The first process dies when the message is in the outbox, before the call has its result.
    const kill = message === undefined ? [] : [':message:'];
    const child = fork(CHILD, [this.home.stateDir, this.#sentFile, JSON.stringify(CONFIG), ...kill], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    afterTest(() => child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    await Promise.race([once(child, 'message') as Promise<[ToParent]>, exit]);
    if (message !== undefined) child.send(message, () => {});
    else child.send('end', () => {});
    const [, signal] = await exit;
    return signal;
  }

  get sent(): SentLine[] {
    if (!existsSync(this.#sentFile)) return [];
    const lines = readFileSync(this.#sentFile, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as SentLine);
  }

  /** Those that are not marked as a possible repeat. */
  get texts(): string[] {
    return this.sent.filter(({ mayBeRepeat }) => !mayBeRepeat).map(({ text }) => text);
  }
}

test('a process that is killed between the call and its result sends the message once', HUNT, async () => {
  const killed = new Killed();
  killed.home.writeScript('sender', {
    turns: [
      { when: 'Your run was cut off', steps: [SEND, { text: TEXT }] },
      { steps: [SEND, { text: 'never said' }] },
    ],
  });
  expect(await killed.run({ id: 'm1', from: 'ada', text: 'is it here?' })).toBe('SIGKILL');
  expect(await killed.run()).toBe(null);
  expect(killed.texts).toEqual([TEXT]);
  const calls = killed.home.linesOf().filter((line) => JSON.stringify(line).includes('"toolCall"'));
  expect(calls).toHaveLength(2);
  killed.home.checkTranscripts();
});

test('a run that goes on without the call does not repeat its message in the reply', HUNT, async () => {
  const killed = new Killed();
  killed.home.writeScript('sender', {
    turns: [
      { when: 'Your run was cut off', steps: [{ text: TEXT }] },
      { steps: [SEND, { text: 'never said' }] },
    ],
  });
  expect(await killed.run({ id: 'm1', from: 'ada', text: 'is it here?' })).toBe('SIGKILL');
  expect(await killed.run()).toBe(null);
  expect(killed.texts).toEqual([TEXT]);
});
