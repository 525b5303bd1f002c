/** What becomes of a session between the processes of `openbot agent`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentBench, makeAgentBench } from '../setup/agent-process.ts';

const MAIN = 'agent:main:main';
const storePathOf = ({ stateDir }: AgentBench) => join(stateDir, 'agents/main/sessions/sessions.json');

/** Makes the last use of the session so many hours older. */
function age(bench: AgentBench, hours: number): void {
  const store = bench.store();
  const entry = store[MAIN]!;
  for (const field of ['updatedAt', 'lastInteractionAt', 'sessionStartedAt']) {
    if (typeof entry[field] === 'number') entry[field] = Number(entry[field]) - hours * 3_600_000;
  }
  writeFileSync(storePathOf(bench), JSON.stringify(store));
}

const sessionOf = async (bench: AgentBench, message: string) =>
  (await bench.jsonHere('-m', message)).meta.agentMeta.sessionId;

describe('a session that is over begins anew', () => {
  it.each([
    ['idle', { mode: 'idle', idleMinutes: 60 }, 2],
    ['daily', { mode: 'daily', atHour: 4 }, 24],
  ])('%s', async (_, reset, hours) => {
    const bench = makeAgentBench();
    bench.configure({ session: { reset } });
    const first = await sessionOf(bench, 'one');
    age(bench, hours);
    const second = await sessionOf(bench, 'what did I say about one?');
    expect(second).not.toBe(first);
    expect(bench.store()[MAIN]!.sessionId).toBe(second);
  });

  it('and one that is not goes on', async () => {
    const bench = makeAgentBench();
    bench.configure({ session: { reset: { mode: 'idle', idleMinutes: 60 } } });
    const first = await sessionOf(bench, 'one');
    age(bench, 0.5);
    expect(await sessionOf(bench, 'two')).toBe(first);
  });
});

it('/new with an alias begins a session with another model, which stays', async () => {
  const bench = makeAgentBench();
  bench.addScript('fast', [{ steps: [{ text: 'fast: {{prompt}}' }] }]);
  bench.configure({ agents: { defaults: { models: { 'script/fast': { alias: 'quick' } } } } });
  const before = await bench.jsonHere('-m', 'hello');
  const { payloads, meta } = await bench.jsonHere('-m', '/new quick summarize this');
  expect(payloads[0]?.text).toBe('fast: summarize this');
  expect(JSON.stringify(bench.lines())).toMatch(/System: [^"]*Model switched\.[^"]*summarize this"/);
  expect(meta.agentMeta).toMatchObject({ provider: 'script', model: 'fast' });
  expect(meta.agentMeta.sessionId).not.toBe(before.meta.agentMeta.sessionId);
  expect(await bench.jsonHere('-m', 'go on')).toMatchObject({ payloads: [{ text: 'fast: go on' }] });
});

it('a store that cannot be read is named and stays, and no message is kept that nothing can answer', async () => {
  const bench = makeAgentBench();
  await bench.json('-m', 'one');
  const broken = readFileSync(storePathOf(bench), 'utf8').slice(0, -20);
  writeFileSync(storePathOf(bench), broken);
  const refused = await bench.agent(['-m', 'two', '--json']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(JSON.parse(refused.stderr).error.message).toContain(storePathOf(bench));
  expect(readFileSync(storePathOf(bench), 'utf8')).toBe(broken);
  writeFileSync(storePathOf(bench), '{}');
  expect(await bench.json('-m', 'three')).toMatchObject({
    payloads: [{ text: expect.stringContaining('You said: three') }],
  });
  const said = bench.lines().filter(({ type }) => type === 'message');
  expect(JSON.stringify(said)).not.toContain('two');
});

it('a command that is killed in its run leaves a message that the next one finishes, before its own', async () => {
  const bench = makeAgentBench();
  bench.addScript('frail', [
    { when: 'cut off', steps: [{ text: 'I went on.' }] },
    { when: 'crash', steps: [{ text: 'I begin.' }, { tool: 'list_files' }, { crash: true }] },
    { steps: [{ text: 'Answer to {{prompt}}' }] },
  ]);
  bench.configure({ agents: { defaults: { model: 'script/frail' } } });
  expect(await bench.agent(['-m', 'crash'])).toMatchObject({ code: null });
  // It may say that it waits for the earlier one.
  expect(await bench.agent(['-m', 'next'])).toMatchObject({ code: 0, stdout: 'Answer to next\n' });
  const said = bench.lines().flatMap(({ message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: unknown };
    return role === 'assistant' ? [JSON.stringify(content)] : [];
  });
  expect(said.at(-2)).toContain('I went on.');
  expect(said.at(-1)).toContain('Answer to next');
});
