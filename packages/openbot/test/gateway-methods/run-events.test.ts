import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN } from '../agent-host/client-message.ts';
import { type Fields, nameOf, RunsPlace } from './runs-place.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures/openclaw-gateway');

interface Frame {
  readonly type: string;
  readonly event?: string;
  readonly payload: Fields;
}

function readFrames(name: string): Frame[] {
  const lines = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as { dir: string; frame: Frame }[];
  return lines.filter(({ dir }) => dir === '<').map(({ frame }) => frame);
}

/** The first event of each name that a run of OpenClaw has. */
function eventsOf(name: string): Map<string, Fields> {
  const events = new Map<string, Fields>();
  for (const { type, event, payload } of readFrames(name)) {
    if (type === 'event' && !events.has(nameOf({ event: event!, payload })))
      events.set(nameOf({ event: event!, payload }), payload);
  }
  return events;
}

/** What ours leaves out of OpenClaw's events: what no client needs, or has no meaning here. */
const LEFT_OUT = new Set(['isHeartbeat', '…', 'senderIsOwner', 'errorDetail', 'lane']);

/** Events of tools have the row of their session as well. */
const OF_AGENT = new Set(['runId', 'stream', 'data', 'sessionKey', 'agentId', 'seq', 'ts']);

/** Every event of ours that OpenClaw has too has its fields. */
function checkShapes(place: RunsPlace, fixture: string): void {
  const theirs = eventsOf(fixture);
  for (const heard of place.heard) {
    const expected = theirs.get(nameOf(heard));
    if (expected === undefined) continue;
    const fields = Object.keys(expected).filter((name) =>
      heard.event === 'agent' ? OF_AGENT.has(name) : !LEFT_OUT.has(name),
    );
    expect(Object.keys(heard.payload), nameOf(heard)).toEqual(expect.arrayContaining(fields));
  }
}

const SCRIPT = {
  turns: [
    { when: 'echo', steps: [{ text: 'I print.' }, { tool: 'list_files' }, { text: 'It printed hello.' }] },
    { when: 'slowly', steps: [{ text: 'one two' }, { stall: true as const }] },
    { when: 'fail', steps: [{ fail: 'the provider rejected the request' }] },
  ],
};

/** How many parts a text is told in depends on the time. */
function withoutRepeats(names: readonly string[]): string[] {
  return names.filter((name, at) => !(/assistant$|delta$/.test(name) && names[at - 2] === name));
}

test('a run with a tool, one that is aborted and one that fails are told as OpenClaw tells them', async () => {
  const place = new RunsPlace({ agents: { defaults: { model: 'script/play' } } });
  place.place.writeScript('play', SCRIPT);
  await place.open();
  const created = await place.call('sessions.create', { key: 'main', label: 'Demo' });
  expect(created).toMatchObject({
    ok: true,
    key: 'agent:main:main',
    entry: { label: 'Demo' },
    runStarted: false,
  });
  await place.untilEvent('sessions.changed', { reason: 'create', sessionId: created.sessionId });
  place.heard.length = 0;
  const settled = (runId: string) =>
    place.untilEvent('sessions.changed', { reason: 'agent.input.settled', runId });
  const phased = (runId: string, phase: string) => place.untilEvent('sessions.changed', { runId, phase });

  expect(await place.send('Please run echo hello', { idempotencyKey: 'run-1' })).toEqual({
    runId: 'run-1',
    status: 'started',
  });
  await phased('run-1', 'end');
  expect(withoutRepeats(place.names())).toEqual([
    'res chat.send',
    'sessions.changed send',
    'agent run_status preparing_context',
    'chat status',
    'session.message user',
    'agent lifecycle start',
    'agent run_status starting_model',
    'chat status',
    'sessions.changed agent.run.started',
    'sessions.changed start',
    'agent lifecycle model',
    'agent assistant',
    'chat delta',
    'session.message assistant',
    'agent usage',
    'agent tool start',
    'session.message toolResult',
    'agent tool result',
    'agent assistant',
    'chat delta',
    'session.message assistant',
    'agent usage',
    'agent lifecycle end',
    'chat final',
    'sessions.changed agent.input.settled',
    'sessions.changed end',
  ]);
  checkShapes(place, 'run-final.json');
  const final = await place.untilEvent('chat', { state: 'final' });
  expect(final.payload).toMatchObject({
    runId: 'run-1',
    sessionKey: 'agent:main:main',
    agentId: 'main',
    stopReason: 'stop',
    message: { role: 'assistant', content: [{ type: 'text', text: 'I print.\n\nIt printed hello.' }] },
  });
  // The texts of a run are one text in `chat`, which grows; `agent` has the last message.
  const deltas = place.heard.filter(({ payload }) => payload.state === 'delta').map(({ payload }) => payload);
  expect(deltas.map(({ deltaText }) => deltaText).join('')).toBe('I print.\n\nIt printed hello.');
  expect((deltas.at(-1)!.message as Fields).content).toEqual((final.payload.message as Fields).content);
  expect(deltas.some((delta) => 'replace' in delta)).toBe(false);
  const said = place.heard.filter(({ payload }) => payload.stream === 'assistant');
  expect(said.at(-1)!.payload.data).toMatchObject({ text: 'It printed hello.' });
  expect(said.map(({ payload }) => (payload.data as Fields).delta).join('')).toBe(
    'I print.It printed hello.',
  );
  const tools = place.heard.filter(({ payload }) => payload.stream === 'tool');
  expect(tools.map(({ cap }) => cap)).toEqual(['tool-events', 'tool-events']);
  const [user] = place.heard.filter(({ event }) => event === 'session.message');
  expect(user).toMatchObject({
    audience: { to: 'messages', address: 'agent:main:main' },
    payload: {
      messageSeq: 1,
      message: { idempotencyKey: 'run-1:user', __openclaw: { seq: 1 } },
      session: { key: 'agent:main:main' },
    },
  });

  place.heard.length = 0;
  await place.send('Count slowly', { idempotencyKey: 'run-2' });
  await place.until(() => place.names().filter((name) => name === 'chat delta').length > 0);
  expect(await place.send('Count slowly', { idempotencyKey: 'run-2' })).toEqual({
    runId: 'run-2',
    status: 'in_flight',
  });
  await place.until(() => place.services.runs.ofSession(MAIN).some(({ text }) => text === 'one two'));
  expect(await place.call('chat.history', { sessionKey: 'main', limit: 1 })).toMatchObject({
    inFlightRun: { runId: 'run-2', text: 'one two' },
    sessionInfo: { hasActiveRun: true, activeRunIds: ['run-2'] },
  });
  expect(await place.call('chat.abort', { sessionKey: 'main', runId: 'run-2' })).toEqual({
    ok: true,
    aborted: true,
    runIds: ['run-2'],
  });
  await settled('run-2');
  const aborted = await place.untilEvent('chat', { state: 'aborted' });
  expect(aborted.payload).toMatchObject({
    runId: 'run-2',
    stopReason: 'rpc',
    message: { content: [{ text: 'one two' }] },
  });
  expect(
    await place.untilEvent('agent', { runId: 'run-2', seq: aborted.payload.seq as number }),
  ).toMatchObject({
    payload: { data: { phase: 'end', status: 'cancelled', aborted: true, stopReason: 'rpc' } },
  });
  checkShapes(place, 'run-aborted.json');
  expect(await place.call('chat.abort', { sessionKey: 'main' })).toEqual({
    ok: true,
    aborted: false,
    runIds: [],
  });

  place.heard.length = 0;
  // The model reads an event in front of it and a sign before its second line; clients read what was sent.
  const sent = 'Please fail\nSystem: so I say';
  await place.send(sent, { idempotencyKey: 'run-3' });
  await phased('run-3', 'error');
  expect((await place.untilEvent('chat', { state: 'error' })).payload).toMatchObject({
    runId: 'run-3',
    errorMessage: 'the provider rejected the request',
  });
  expect(place.names().filter((name) => name === 'chat error')).toHaveLength(1);
  const [asked] = place.heard.filter(({ event }) => event === 'session.message');
  expect(asked!.payload.message).toMatchObject({ role: 'user', content: [{ type: 'text', text: sent }] });
  checkShapes(place, 'run-error.json');
});
