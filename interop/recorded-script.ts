/** One client with one script, for OpenClaw's gateway and openbot's: all frames that come, by the step that they belong to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectGateway, type Frame, type GatewayClient } from './gateway-client.ts';
import { call, exec, fail, note, say } from './script.ts';

export interface Recorded {
  readonly step: string;
  readonly frame: Frame;
}

interface Step {
  readonly step: string;
  /** Ends when all that belongs to it has been heard. */
  run(client: GatewayClient): Promise<unknown>;
}

type Fields = Readonly<Record<string, unknown>>;

const KEY = 'agent:main:demo';
/** What trails behind the last event that is waited for comes within this time. */
const QUIET_MS = 1500;

/** The model of OpenClaw reads the lines behind the first one; that of openbot has its own script. */
const MESSAGES = {
  tool: ['Please print hello', note('I print it.'), call(exec('echo hello')), say('It printed hello.')],
  abort: ['Please wait long', note('I wait.'), call(exec('sleep 60')), say('It is over.')],
  error: ['Please fail', fail('the provider rejected the request')],
  agent: ['Please say hi', say('Hi there.')],
} as const;

async function runOf(client: GatewayClient, name: 'tool' | 'abort' | 'error', states: readonly string[]) {
  const runId = `run-${name}`;
  const ended = client.waitForEvent<Fields>('chat', (event) => isOf(event, runId, states));
  const settled = client.waitForEvent<Fields>('sessions.changed', isSettled);
  const began = client.waitForEvent<Fields>(
    'agent',
    ({ runId: id, stream }) => id === runId && stream === 'tool',
  );
  began.catch(() => {});
  const message = MESSAGES[name].join('\n');
  const params = { sessionKey: KEY, message, idempotencyKey: runId };
  await client.request('chat.send', params);
  if (name === 'abort') {
    await began;
    await client.request('chat.abort', { sessionKey: KEY, runId });
  }
  await Promise.all([ended, settled]);
}

const isOf = ({ runId, state }: Fields, id: string, states: readonly string[]): boolean =>
  runId === id && states.includes(String(state));
const isSettled = ({ reason }: Fields): boolean => reason === 'agent.input.settled';

const ask =
  (method: string, params: object) =>
  (client: GatewayClient): Promise<unknown> =>
    client.request(method, params).catch(() => {});

const STEPS: readonly Step[] = [
  { step: 'sessions.subscribe', run: ask('sessions.subscribe', {}) },
  { step: 'sessions.messages.subscribe', run: ask('sessions.messages.subscribe', { key: KEY }) },
  { step: 'sessions.create', run: ask('sessions.create', { key: 'demo', agentId: 'main', label: 'Demo' }) },
  { step: 'chat.send with a tool', run: (client) => runOf(client, 'tool', ['final']) },
  {
    step: 'chat.send again',
    run: ask('chat.send', {
      sessionKey: KEY,
      message: MESSAGES.tool.join('\n'),
      idempotencyKey: 'run-tool',
    }),
  },
  {
    step: 'chat.send with another text',
    run: ask('chat.send', { sessionKey: KEY, message: 'Another', idempotencyKey: 'run-tool' }),
  },
  { step: 'chat.abort', run: (client) => runOf(client, 'abort', ['aborted']) },
  { step: 'an error', run: (client) => runOf(client, 'error', ['error']) },
  {
    step: 'agent',
    async run(client) {
      const settled = client.waitForEvent<Fields>('sessions.changed', isSettled);
      const params = { message: MESSAGES.agent.join('\n'), sessionKey: KEY, idempotencyKey: 'run-agent' };
      await client.request('agent', params, { final: true });
      await settled;
    },
  },
  { step: 'agent.wait', run: ask('agent.wait', { runId: 'run-agent', timeoutMs: 5000 }) },
  { step: 'chat.history', run: ask('chat.history', { sessionKey: KEY, limit: 20 }) },
  {
    step: 'sessions.list',
    run: ask('sessions.list', { includeDerivedTitles: true, includeLastMessage: true }),
  },
  { step: 'sessions.describe', run: ask('sessions.describe', { key: KEY }) },
  { step: 'sessions.preview', run: ask('sessions.preview', { keys: [KEY, 'agent:main:nope'] }) },
  { step: 'sessions.resolve', run: ask('sessions.resolve', { label: 'Demo' }) },
  { step: 'sessions.resolve of none', run: ask('sessions.resolve', { label: 'Nope' }) },
  { step: 'sessions.get', run: ask('sessions.get', { key: KEY, limit: 2 }) },
  { step: 'sessions.patch', run: ask('sessions.patch', { key: KEY, label: 'Other', verboseLevel: 'on' }) },
  { step: 'sessions.patch of a wrong model', run: ask('sessions.patch', { key: KEY, model: 'a/b' }) },
  { step: 'sessions.compact', run: ask('sessions.compact', { key: KEY, maxLines: 4 }) },
  { step: 'sessions.reset', run: ask('sessions.reset', { key: KEY, reason: 'reset' }) },
  { step: 'sessions.delete', run: ask('sessions.delete', { key: KEY }) },
  { step: 'sessions.delete of none', run: ask('sessions.delete', { key: KEY }) },
  { step: 'sessions.delete of main', run: ask('sessions.delete', { key: 'main' }) },
  { step: 'sessions.abort of nothing', run: ask('sessions.abort', { key: KEY }) },
  { step: 'sessions.send to none', run: ask('sessions.send', { key: 'agent:main:nope', message: 'Hi' }) },
  { step: 'wrong params', run: ask('sessions.preview', { keys: 1 }) },
  { step: 'an unknown method', run: ask('nope.nope', {}) },
];

/** How long nothing came until a step is taken for over; short for steps without a run. */
export async function recordScript(port: number, token: string): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  let step = 'connect';
  let heardAt = Date.now();
  const client = await connectGateway(port, token, {
    caps: ['tool-events'],
    hear(frame) {
      if (isBackground(frame)) return;
      recorded.push({ step, frame });
      heardAt = Date.now();
    },
  });
  for (const { step: name, run } of STEPS) {
    step = name;
    await run(client);
    heardAt = Date.now();
    while (Date.now() < heardAt + QUIET_MS) await sleep(50);
  }
  client.close();
  return recorded;
}

/** Told to all connections now and then, whatever the client does. */
function isBackground({ event }: Frame): boolean {
  return event === 'tick' || event === 'health' || event === 'presence';
}
