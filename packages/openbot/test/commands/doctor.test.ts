/** `openbot doctor` and `openbot health` on folders with something wrong. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noTerminal, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { openState } from '../../src/state/open-state.ts';
import { makePlace, type SessionPlace, snapshot } from '../kept-sessions/session-places.ts';
import { outbound } from '../outbox/outbound.ts';
import { COMMAND } from '../setup/command-file.ts';

interface Printed {
  readonly healthy: boolean;
  readonly problems: number;
  readonly warnings: number;
  readonly checks: readonly {
    readonly name: string;
    readonly findings: readonly { what: string; severity: string; fix?: string; fixed?: boolean }[];
  }[];
}

const [ONE, TWO, LONE] = [1, 2, 3].map((n) => `11111111-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];
const header = (id: string) =>
  `${JSON.stringify({ type: 'session', version: 3, id, timestamp: 'x', cwd: '/' })}\n`;
const TORN = '{"type":"message","id":"a","parentId":null,"mess';
const HEADLESS = '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}\n';

/** Private, as openbot itself makes files. */
function closeToOthers(folder: string): void {
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  }
}

function makeBrokenPlace(): SessionPlace {
  const place = makePlace(
    {
      'agent:main:main': { sessionId: ONE, updatedAt: 1, systemSent: true },
      // Its file is where its name says, and not where the entry does.
      'agent:main:x': { sessionId: TWO, updatedAt: 1, systemSent: true, sessionFile: 'elsewhere.jsonl' },
    },
    {
      [`agents/main/sessions/${ONE}.jsonl`]: `${header(ONE)}${TORN}`,
      [`agents/main/sessions/${TWO}.jsonl`]: HEADLESS,
      [`agents/main/sessions/${LONE}.jsonl`]: header(LONE),
      [`agents/main/sessions/${LONE}.jsonl.lock`]: JSON.stringify({
        pid: 2 ** 22 + 1,
        createdAt: '2026-01-01',
      }),
      'agents/main/sessions/sessions.json.4194305.00000000-0000-4000-8000-000000000000.tmp': 'half',
      'openbot.sqlite': 'no database',
    },
  );
  closeToOthers(place.stateDir);
  const leftover = readdirSync(place.sessionsDir).find((name) => name.endsWith('.tmp'))!;
  for (const name of [`${ONE}.jsonl`, leftover]) chmodSync(join(place.sessionsDir, name), 0o644);
  for (const name of [leftover, `${LONE}.jsonl.lock`]) utimesSync(join(place.sessionsDir, name), 1, 1);
  return place;
}

const namesOf = ({ checks }: Printed) =>
  checks.filter(({ findings }) => findings.length > 0).map(({ name }) => name);

it('finds, repairs without losing a byte, and finds nothing to repair afterwards', async () => {
  const place = makeBrokenPlace();
  const before = snapshot(place.stateDir);
  const looked = await place.runHere('doctor', '--json');
  const printed = JSON.parse(looked.stdout) as Printed;
  expect([looked.code, looked.stderr]).toEqual([1, '']);
  expect(namesOf(printed)).toEqual([
    'leftovers',
    'stale-locks',
    'lost-transcripts',
    'orphans',
    'headers',
    'torn-lines',
    'index',
    'file-modes',
  ]);
  expect(snapshot(place.stateDir)).toEqual(before);

  const refused = await place.runHere('doctor', '--fix');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('needs --yes')]);
  expect(snapshot(place.stateDir)).toEqual(before);

  const fixed = await place.json<Printed>('doctor', '--fix', '--yes');
  expect(fixed.healthy).toBe(true);
  expect(fixed.checks.flatMap(({ findings }) => findings).filter((one) => one.fixed === false)).toEqual([]);
  const after = await place.json<Printed>('doctor');
  expect(namesOf(after)).toEqual(['orphans']);
  const read = (id: string) => readFileSync(join(place.sessionsDir, `${id}.jsonl`), 'utf8');
  expect(read(ONE)).toBe(`${header(ONE)}${TORN}\n`);
  expect(read(TWO)).toMatch(/^\{"type":"session".*\n/);
  expect(read(TWO).endsWith(`\n${HEADLESS}`)).toBe(true);
  expect(place.store()['agent:main:x']!.sessionFile).toBe(join(place.sessionsDir, `${TWO}.jsonl`));
  const aside = readdirSync(join(place.stateDir, 'moved-aside'), { recursive: true, encoding: 'utf8' });
  expect(aside.join('\n')).toContain('.tmp');
  expect(readdirSync(place.stateDir).join('\n')).toMatch(/^openbot\.sqlite\.aside-/m);
});

it('thinking that the provider refuses or leaves out', async () => {
  const thinking = (at: number) => ({ type: 'thinking', thinking: 'Hm.', thinkingSignature: `signed ${at}` });
  const transformations = [{ type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'changed' }];
  const diagnostics = [
    { type: 'anthropic_input_transformations', timestamp: 1, details: { transformations } },
  ];
  const message = (at: number, content: unknown, more: object = {}) => ({
    type: 'message',
    id: `m${at}`,
    parentId: at === 1 ? null : `m${at - 1}`,
    message: { role: at % 2 === 1 ? 'user' : 'assistant', content, ...(at % 2 === 0 && more) },
  });
  const model = { model: 'claude-opus-5-5' };
  const linesOf = (question: string) => [
    message(1, question),
    message(2, [thinking(2), { type: 'text', text: 'one' }], model),
    message(3, 'two?'),
    message(4, [thinking(4), { type: 'text', text: 'two' }], { ...model, diagnostics }),
  ];
  const textOf = (question: string) =>
    header(ONE) +
    linesOf(question)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
  const place = makePlace(
    { 'agent:main:main': { sessionId: ONE, updatedAt: 1, systemSent: true } },
    {
      'openbot.json': '{}',
      [`agents/main/sessions/${ONE}.jsonl`]: textOf('[truncated]'),
      [`agents/main/sessions/backups/${ONE}.backup.1.jsonl`]: textOf('a long question'),
    },
  );
  closeToOthers(place.stateDir);
  const printed = await place.json<Printed>('doctor');
  expect(printed.checks.find(({ name }) => name === 'thinking')!.findings).toEqual([
    {
      severity: 'warning',
      what: expect.stringMatching(/^2 blocks of thinking of agent:main:main are stale: /),
      remedy: expect.stringMatching(/'openbot clean edit \S+ --keep 1 --truncate 0'/),
    },
    {
      severity: 'warning',
      what: expect.stringContaining('left 1 block of thinking out of the last request of agent:main:main'),
      remedy: expect.any(String),
    },
  ]);
});

it("OpenClaw's folder is reported on, and not changed", async () => {
  const place = makePlace(
    { 'agent:main:main': { sessionId: ONE, updatedAt: 1, systemSent: true } },
    { 'openclaw.json': '{}', [`agents/main/sessions/${ONE}.jsonl`]: `${header(ONE)}${TORN}` },
  );
  chmodSync(join(place.sessionsDir, `${ONE}.jsonl`), 0o644);
  const before = snapshot(place.stateDir);
  const printed = await place.json<Printed>('doctor', '--fix', '--yes');
  const torn = printed.checks.find(({ name }) => name === 'torn-lines')!;
  expect(torn.findings).toEqual([
    {
      severity: 'warning',
      what: expect.stringContaining(ONE),
      remedy: expect.stringContaining("OpenClaw's"),
    },
  ]);
  expect(snapshot(place.stateDir)).toEqual(before);
  expect(statSync(join(place.sessionsDir, `${ONE}.jsonl`)).mode & 0o777).toBe(0o644);
});

it('a transcript in which nothing can be read gets no header: the next turn sets it aside', async () => {
  const zeros = '\0'.repeat(9000);
  const place = makePlace(
    { 'agent:main:main': { sessionId: ONE, updatedAt: 1, systemSent: true } },
    {
      'openbot.json': '{}',
      [`agents/main/sessions/${ONE}.jsonl`]: `${zeros}\n`,
      [`agents/main/sessions/${TWO}.jsonl`]: '',
    },
  );
  closeToOthers(place.stateDir);
  const path = join(place.sessionsDir, `${ONE}.jsonl`);
  const fixed = JSON.parse((await place.runHere('doctor', '--fix', '--yes', '--json')).stdout) as Printed;
  expect(fixed.healthy).toBe(false);
  expect(fixed.checks.find(({ name }) => name === 'headers')!.findings).toEqual([
    { severity: 'problem', what: `Nothing in ${path} can be read`, remedy: expect.stringContaining('aside') },
    expect.objectContaining({ what: expect.stringContaining(TWO), fixed: true }),
  ]);
  expect(readFileSync(path, 'utf8')).toBe(`${zeros}\n`);
});

it('a header behind an empty line, and entries of OpenClaw without their transcripts', async () => {
  const place = makePlace(
    {
      'agent:main:main': { sessionId: ONE, updatedAt: 1, systemSent: true },
      'agent:main:x': { sessionId: TWO, updatedAt: 1, totalTokens: 9 },
      'agent:main:y': { sessionId: LONE, updatedAt: 1, lastInteractionAt: 1 },
      'agent:main:new': { sessionId: '11111111-0000-4000-8000-000000000009', updatedAt: 1 },
    },
    { [`agents/main/sessions/${ONE}.jsonl`]: `\n${header(ONE)}`, 'openbot.json': '{}' },
  );
  closeToOthers(place.stateDir);
  const printed = await place.json<Printed>('doctor');
  expect(namesOf(printed)).toEqual(['lost-transcripts']);
  const lost = printed.checks.find(({ name }) => name === 'lost-transcripts')!.findings;
  expect(lost.map(({ what }) => what.match(/of (\S+) is missing/)?.[1])).toEqual([
    'agent:main:x',
    'agent:main:y',
  ]);
  expect(await place.runHere('sessions', 'show', 'agent:main:x')).toMatchObject({ code: 0 });
});

it.skipIf(process.platform === 'win32')('files that others can read are told together', async () => {
  const ids = Array.from({ length: 9 }, (_, n) => `11111111-0000-4000-8000-00000000001${n}`);
  const place = makePlace(
    {},
    {
      'openbot.json': '{}',
      'agents/main/agent/openclaw-agent.sqlite': '',
      [`agents/main/sessions/${ONE}.jsonl.reset.2026-01-01T00-00-00.000Z`]: header(ONE),
      [`agents/main/sessions/${ONE}.trajectory.jsonl`]: '{}\n',
      ...Object.fromEntries(ids.map((id) => [`agents/main/sessions/${id}.jsonl`, header(id)])),
    },
  );
  closeToOthers(place.stateDir);
  const open = ['openbot.json', 'agents/main', 'agents/main/agent/openclaw-agent.sqlite'];
  const sessions = readdirSync(place.sessionsDir).filter((name) => name !== 'sessions.json');
  for (const name of [...open, ...sessions.map((one) => `agents/main/sessions/${one}`)])
    chmodSync(join(place.stateDir, name), name === 'agents/main' ? 0o755 : 0o644);
  const modes = ({ checks }: Printed) => checks.find(({ name }) => name === 'file-modes')!.findings;
  const found = modes(JSON.parse((await place.runHere('doctor', '--json')).stdout));
  expect(found.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^Others can read .*openbot\.json \(mode 644\)$/),
    expect.stringMatching(
      /^13 files and folders of main can be read by others, such as .*main \(mode 755\)$/,
    ),
  ]);
  await place.runHere('doctor', '--fix', '--yes', '--json');
  expect(modes(JSON.parse((await place.runHere('doctor', '--json')).stdout))).toEqual([]);
});

it.skipIf(process.platform === 'win32')('keys and what lies aside is looked at, wherever it is', async () => {
  const elsewhere = makePlace(undefined, { key: 'outside' });
  const outside = join(elsewhere.stateDir, 'key');
  const hidden = [
    ...[
      'secrets/inside',
      'moved-aside/2026/agents/main/x.jsonl',
      'scripts/late.json',
      'coding-runs/one.json',
    ],
    ...[
      'claude-code/ledger/x',
      'openbot.sqlite.aside-20260101T000000Z-wal',
      'openbot.sqlite-wal',
      'more.json5',
    ],
  ];
  const providers = { a: { apiKey: 'file:./secrets/inside' }, b: { apiKey: `file:${outside}` } };
  const place = makePlace(
    {},
    {
      ...Object.fromEntries(hidden.map((name) => [name, name.startsWith('scripts') ? '{"turns":[]}' : 'x'])),
      'openbot.json': JSON.stringify({ $include: './more.json5', models: { providers } }),
      'more.json5': '{}',
    },
  );
  closeToOthers(place.stateDir);
  chmodSync(outside, 0o600);
  const look = async () => {
    const { checks } = JSON.parse((await place.runHere('doctor', '--json')).stdout) as Printed;
    return checks.find(({ name }) => name === 'file-modes')!.findings.map(({ what }) => what);
  };
  expect(await look()).toEqual([]);
  for (const path of [outside, ...hidden.map((name) => join(place.stateDir, name))]) {
    chmodSync(path, 0o644);
    expect(await look()).toEqual([`Others can read ${path} (mode 644)`]);
    chmodSync(path, 0o600);
  }
  chmodSync(outside, 0o640);
  chmodSync(join(place.stateDir, 'secrets'), 0o755);
  await place.runHere('doctor', '--fix', '--yes', '--json');
  expect(await look()).toEqual([]);
});

it('what only a person can repair', async () => {
  const place = makePlace(undefined, {
    'openbot.json': JSON.stringify({
      agents: { list: [{ id: 'main', model: 'nowhere/big', workspace: '/proc/none/at/all' }] },
      channels: { telegram: {} },
    }),
    'openbot-inbox.sqlite': 'no database',
    'channel-pairing.json': '{ torn',
    'agents/old/sessions/sessions.json': '{}',
  });
  closeToOthers(place.stateDir);
  const { code, stdout } = await place.runHere('doctor', '--fix', '--yes');
  expect(code).toBe(1);
  for (const text of [
    /✗ database\n.*openbot-inbox\.sqlite is damaged/,
    /✗ workspaces\n.*\/proc\/none\/at\/all\n.*Not fixed: /,
    /! agents\n.*agents\/old/,
    /! channels\n.*telegram/,
    /✗ pairing\n.*Cannot read .*channel-pairing\.json/,
    /✗ models\n.*nowhere\/big/,
  ])
    expect(stdout).toMatch(text);
});

it('a list of sessions that does not parse is left to a person where OpenClaw may use it too', async () => {
  const place = makePlace(undefined, { 'openbot.json': '{}', 'openclaw.json': '{}' });
  mkdirSync(place.sessionsDir, { recursive: true });
  writeFileSync(join(place.sessionsDir, 'sessions.json'), '{ torn');
  closeToOthers(place.stateDir);
  const { stdout } = await place.runHere('doctor', '--fix', '--yes');
  expect(stdout).toMatch(/✗ stores\n.*sessions\.json is not valid JSON.*\n.*Restore a backup/);
  expect(readFileSync(join(place.sessionsDir, 'sessions.json'), 'utf8')).toBe('{ torn');
});

it('says that people who were let in share the session of the owner', async () => {
  const ada = { channel: 'telegram', accountId: 'default', id: '7', to: '7', meta: {}, approvedAt: 1 };
  const place = makePlace(
    {},
    {
      'openbot.json': '{}',
      'channel-pairing.json': JSON.stringify({ version: 1, requests: [], approved: [ada] }),
    },
  );
  const findings = async () => {
    const printed = JSON.parse((await place.runHere('health', '--json')).stdout) as Printed;
    return printed.checks.find(({ name }) => name === 'pairing')!.findings;
  };
  expect(await findings()).toMatchObject([
    { severity: 'warning', remedy: expect.stringContaining('dmScope') },
  ]);
  writeFileSync(join(place.stateDir, 'openbot.json'), '{ session: { dmScope: "per-channel-peer" } }');
  expect(await findings()).toEqual([]);
});

it('health: yes, with warnings, and no', async () => {
  const place = makePlace({});
  closeToOthers(place.stateDir);
  expect(await place.runHere('health')).toMatchObject({
    code: 0,
    stdout: '✓ no problems; no gateway runs\n',
    stderr: '',
  });
  expect(await place.runHere('health', '--gateway')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ gateway\n {2}No gateway runs\n.*openbot gateway start/),
  });
  const state = await openState(place.stateDir);
  await state.outbox.put([{ ...outbound('a', '1'), createdAt: Date.now() }]);
  const stuck = await place.runHere('health');
  expect(stuck.stdout).toMatch(/! stuck-messages\n.*1 reply for telegram not sent.*\n.*outbox drop/);
  const claim = { channel: 'telegram', accountId: 'default', owner: 'me', now: 1, leaseMs: 9, limit: 1 };
  for (const { key } of await state.outbox.claim(claim))
    await state.outbox.dead(key, 'me', { error: 'x', at: 1 });
  await state.close();
  const warned = await place.runHere('health');
  expect([warned.code, warned.stdout]).toEqual([
    0,
    expect.stringMatching(/! dead-letters\n.*1 reply.*\n.*outbox list.*with 1 warning/s),
  ]);
  writeFileSync(join(place.stateDir, 'openbot.json'), '{ agents: 1, foo: 2 }');
  const broken = await place.runHere('health', '--json');
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout)).toMatchObject({ healthy: false, problems: 2 });
  expect(namesOf(JSON.parse(broken.stdout))).toEqual(['configuration', 'dead-letters']);
  expect(JSON.parse(broken.stdout).checks.map(({ name }: { name: string }) => name)).not.toContain('models');
  expect(existsSync(join(place.stateDir, 'moved-aside'))).toBe(false);
});

it.each([
  [{ channels: { telegram: { botToken: '1:x' } } }, 'nothing is received from telegram'],
  [{ agents: { defaults: { heartbeat: { every: '30m' } } } }, 'no heartbeat is given'],
])('health: no, where %j needs a gateway and none runs', async (config, lost) => {
  const place = makePlace(undefined, { 'openbot.json': JSON.stringify(config) });
  closeToOthers(place.stateDir);
  const { code, stdout } = await place.runHere('health', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { healthy: false, gateway: { state: 'not running' } },
  ]);
  expect(stdout).toContain(`No gateway runs: ${lost}`);
  const text = await place.runHere('health');
  expect(text.stdout).toContain('the gateway is not running');
});

it.skipIf(noTerminal !== undefined)(`--fix asks at a terminal ${noTerminal ?? ''}`, async () => {
  const place = makeBrokenPlace();
  renameSync(join(place.stateDir, 'openbot.sqlite'), join(place.home, 'x'));
  const run = startInTerminal([process.execPath, ...COMMAND, 'doctor', '--fix'], {
    cwd: place.home,
    env: place.env,
  });
  await run.shows(/Make \d repairs\? \[y\/N\] /);
  run.child.stdin!.write('y\n');
  expect((await run.ended).text).toMatch(/Fixed: End the line/);
});
