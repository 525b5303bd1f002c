import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import { asAnswer, BotHome, Chat, MAIN, PARROT, textsOf } from './bot-home.ts';

test('the agent lists the files of its workspace', async () => {
  const home = new BotHome();
  mkdirSync(join(home.stateDir, 'workspace'), { recursive: true });
  writeFileSync(join(home.stateDir, 'workspace', 'plan.md'), 'x');
  const bot = await home.open();
  const events: string[] = [];
  const answer = await bot.say({ message: 'list the files', onEvent: ({ type }) => events.push(type) });
  expect(textsOf(answer).join('\n')).toContain('plan.md');
  expect(events).toContain('tool-call');
  expect(events.indexOf('tool-call')).toBeLessThan(events.indexOf('tool-result'));
  home.checkTranscripts();
});

test('a file of a reply is in the workspace, or the line stays text', async () => {
  const home = new BotHome();
  const text = 'Here:\nMEDIA: chart.png\nMEDIA: ../../etc/passwd';
  const bot = await home.open({ script: { turns: [{ steps: [{ text }] }] } });
  const { payloads } = await bot.say({ message: 'hello' });
  expect(payloads).toHaveLength(1);
  expect(payloads[0]?.mediaUrls).toEqual([join(home.stateDir, 'workspace', 'chart.png')]);
  expect(payloads[0]?.text).toContain('../../etc/passwd');
});

test('replies answer the message where the channel says so', async () => {
  const home = new BotHome();
  const chat = new Chat({ name: 'telegram' });
  const config = { channels: { telegram: { replyToMode: 'all' as const } } };
  const bot = await home.open({ config, channels: [chat.channel] });
  await chat.write('ada', 'say hi', { id: '42' });
  await bot.idle();
  expect(chat.channel.network.shown[0]?.payload.replyToId).toBe('42');
});

test('NO_REPLY sends nothing', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bot = await home.open({
    channels: [chat.channel],
    script: { turns: [{ steps: [{ text: 'NO_REPLY' }] }] },
  });
  await chat.write('ada', 'hello');
  await bot.idle();
  expect(chat.channel.network.sends).toBe(0);
  expect(await bot.say({ message: 'hello' })).toMatchObject({ outcome: 'silent', payloads: [] });
});

test('a session that must not send runs and sends nothing', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const config = { session: { sendPolicy: { default: 'deny' as const } } };
  const bot = await home.open({ config, channels: [chat.channel], play: PARROT });
  await chat.write('ada', 'say hello');
  await bot.idle();
  expect(home.saidIn().at(-1)).toBe('assistant: hello');
  expect(chat.channel.network.sends).toBe(0);
  // The person at the machine asked for it here.
  expect(textsOf(await bot.say({ message: 'say more' }))).toEqual(['more']);
});

test('a failure of the model is told to the person and noted once', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const script = {
    turns: [{ steps: [{ fail: 'The key is wrong.', hint: 'Set another.' }] }, { steps: [{ text: 'ok' }] }],
  };
  const bot = await home.open({ script, channels: [chat.channel] });
  await chat.write('ada', 'hello');
  await bot.idle();
  expect(chat.shown).toHaveLength(1);
  expect(chat.shown[0]).toContain('The key is wrong.');
  expect(home.saidIn().filter((line) => line.includes('The key is wrong.'))).toHaveLength(1);
  expect(home.entryOf()).toMatchObject({ status: 'failed' });
  await chat.write('ada', 'again');
  await bot.idle();
  expect(chat.shown.at(-1)).toBe('ada: ok');
  home.checkTranscripts();
});

test('a run that takes too long is ended, told to the person and to the next run', async () => {
  const home = new BotHome();
  const script = { turns: [{ steps: [{ stall: true as const }] }, { steps: [{ text: '{{prompt}}' }] }] };
  const bot = await home.open({ script });
  const late = await bot.say({ message: 'hello', timeoutMs: 100 });
  expect(late).toMatchObject({ outcome: 'aborted', payloads: [{ isError: true }] });
  expect(home.entryOf()).toMatchObject({ abortedLastRun: true, abortedBy: 'timeout', status: 'timeout' });
  expect(textsOf(await bot.say({ message: 'again' }))[0]).toBe('again');
  expect(home.saidIn().at(-2)).toMatch(/^user: System: .*because it took too long.*\n\nagain$/);
  expect(home.entryOf().abortedLastRun).toBe(false);
});

const SMALL = {
  config: {
    agents: { defaults: { model: 'script/small', compaction: { memoryFlush: { enabled: false } } } },
  },
};

test('a conversation that does not fit is cleaned, and the message is answered', async () => {
  const home = new BotHome();
  mkdirSync(join(home.stateDir, 'workspace'), { recursive: true });
  writeFileSync(join(home.stateDir, 'workspace', 'long.md'), 'word '.repeat(2500));
  const read = { steps: [{ tool: 'read_file', args: { path: 'long.md' } }, { text: 'read' }] };
  home.writeScript('small', {
    contextWindow: 12_000,
    turns: [{ ...read, when: 'read' }, { steps: [{ text: 'fits' }] }],
  });
  const bot = await home.open(SMALL);
  const first = await bot.say({ message: 'read one' });
  await bot.say({ message: 'read two' });
  const before = home.saidIn().filter((line) => !line.startsWith('toolResult'));
  const events: string[] = [];
  const long = 'and this '.repeat(2700);
  const { outcome, sessionId } = await bot.say({ message: long, onEvent: ({ type }) => events.push(type) });
  expect(outcome).toBe('answered');
  expect(events).toContain('cleaned');
  expect(events).not.toContain('compaction');
  expect(sessionId).toBe(first.sessionId);
  const speech = home.saidIn().filter((line) => !line.startsWith('toolResult') && line !== 'assistant: ');
  expect(speech).toEqual([
    ...before.filter((line) => line !== 'assistant: '),
    `user: ${long}`,
    'assistant: fits',
  ]);
  home.checkTranscripts();
});

test('a conversation without tool calls is compacted, and the message is answered', async () => {
  const home = new BotHome();
  home.writeScript('small', { contextWindow: 12_000, turns: [{ steps: [{ text: 'fits' }] }] });
  const bot = await home.open(SMALL);
  const first = await bot.say({ message: 'word '.repeat(6000) });
  const events: string[] = [];
  const onEvent = ({ type }: { type: string }) => events.push(type);
  const second = await bot.say({ message: 'more '.repeat(4000), onEvent });
  expect(second).toMatchObject({ outcome: 'answered', sessionId: first.sessionId });
  expect(events).toContain('compaction');
  expect(events).not.toContain('cleaned');
  home.checkTranscripts();
});

test('a message that never fits is refused in words, and nothing is deleted', async () => {
  const home = new BotHome();
  home.writeScript('small', { contextWindow: 12_000, turns: [{ steps: [{ text: 'fits' }] }] });
  const bot = await home.open(SMALL);
  const first = await bot.say({ message: 'hello' });
  const before = home.saidIn();
  const refused = await bot.say({ message: 'word '.repeat(20_000) });
  expect(refused).toMatchObject({ outcome: 'failed', sessionId: first.sessionId });
  expect(textsOf(refused)).toEqual([expect.stringContaining('Nothing was deleted. Send /new')]);
  expect(home.entryOf().sessionId).toBe(first.sessionId);
  expect(home.saidIn().slice(0, before.length)).toEqual(before);
});

test('a reply that the network refuses for good is reported to the owner', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bot = await home.open({ channels: [chat.channel], play: PARROT });
  chat.channel.network.addFault({ fault: 'refuse', isPermanent: true });
  await chat.write('ada', 'say hello');
  await bot.idle();
  expect(home.notices).toMatchObject([
    { about: 'dead letter', message: expect.stringMatching(/^The reply \S+ to memory was given up: /) },
  ]);
});

test('memories are saved before a compaction, once for each', async () => {
  const home = new BotHome();
  home.time = Date.UTC(2026, 0, 12, 12);
  const flush = {
    when: 'Pre-compaction memory flush',
    steps: [
      {
        tool: 'write_file',
        args: { path: 'memory/2026-01-12.md', text: 'cat: Minka', content: 'cat: Minka' },
      },
      { text: 'NO_REPLY' },
    ],
  };
  const usage = (input: number) => [{ usage: { input, output: 10 } }, { text: 'ok' }];
  home.writeScript('small', {
    contextWindow: 50_000,
    turns: [flush, { when: 'compact', steps: [{ text: 'ok' }, { compact: true }] }, { steps: usage(38_000) }],
  });
  const bot = await home.open({ config: { agents: { defaults: { model: 'script/small' } } } });
  await bot.say({ message: 'my cat is called Minka '.repeat(50) });
  expect(home.entryOf().memoryFlushAt).toBeUndefined();
  expect(textsOf(await bot.say({ message: 'two' }))).toEqual(['ok']);
  expect(readFileSync(join(home.stateDir, 'workspace/memory/2026-01-12.md'), 'utf8')).toBe('cat: Minka');
  const flushes = () =>
    home.saidIn().filter((line) => /^user: System: \[[^\]]+\] Pre-compaction/.test(line)).length;
  expect(flushes()).toBe(1);
  expect(home.entryOf()).toMatchObject({ memoryFlushAt: home.time, memoryFlushCompactionCount: 0 });
  await bot.say({ message: 'three' });
  expect(flushes()).toBe(1);
  await bot.say({ message: 'compact now' });
  expect(home.entryOf().compactionCount).toBe(1);
  await bot.say({ message: 'four' });
  await bot.say({ message: 'five' });
  expect(flushes()).toBe(2);
  home.checkTranscripts();
});

test('the limit of time is one for the flush of memories and the run', async () => {
  // Longer than any other timer.
  const LIMIT_MS = 500_000_000;
  const delays: number[] = [];
  const setTimer = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((then: () => void, ms = 0) => {
    if (ms > LIMIT_MS / 4 && ms <= LIMIT_MS) delays.push(ms);
    return setTimer(then, ms);
  }) as typeof setTimeout);
  afterTest(() => spy.mockRestore());
  const home = new BotHome();
  let flushMs = 0;
  const answer = asAnswer(async function* ({ prompt }) {
    const isFlush = prompt.includes('Pre-compaction memory flush');
    const begunAt = performance.now();
    if (isFlush) await sleep(50);
    yield { usage: { input: 38_000, output: 10 } };
    yield { text: isFlush ? 'NO_REPLY' : 'ok' };
    if (isFlush) flushMs = performance.now() - begunAt;
  });
  const script = makeScriptRunner({ script: { contextWindow: 50_000, answer } });
  const bot = await home.open({ runners: { script } });
  await bot.say({ message: 'my cat is called Minka', timeoutMs: LIMIT_MS });
  expect(delays).toHaveLength(1);
  await bot.say({ message: 'two', timeoutMs: LIMIT_MS });
  expect(flushMs).toBeGreaterThan(0);
  const [, flush, run] = delays;
  expect(flush).toBeLessThanOrEqual(LIMIT_MS / 2);
  expect(run).toBeLessThanOrEqual(LIMIT_MS - flushMs);
});

test('the same message twice is one turn, also after a restart', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bot = await home.open({ channels: [chat.channel], play: PARROT });
  await chat.write('ada', 'say hello', { id: 'm1' });
  await chat.write('ada', 'say hello', { id: 'm1' });
  await bot.idle();
  await bot.close();
  const later = chat.again();
  const next = await home.open({ channels: [later.channel] });
  await later.write('ada', 'say hello', { id: 'm1' });
  await next.idle();
  expect(home.turnsOf(MAIN)).toEqual([['m1']]);
  expect(later.shown).toEqual(['ada: hello']);
});
