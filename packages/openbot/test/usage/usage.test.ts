import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { textWidth } from '@openbot/sessions/terminal-text';
import { describe, expect, test } from 'vitest';
import { OPENBOT } from '../../src/cli/main.ts';
import { addFixtures, type Home, makeHome } from '../setup/run-openbot.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures');
const SESSION = 'aaaa0001-0000-4000-8000-000000000001';

interface Figures {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly totalCost: number;
  readonly costSource: string;
  readonly missingPricing?: true;
  readonly [field: string]: unknown;
}
interface Printed {
  readonly totals: Figures & { readonly unpricedModels: readonly string[] };
  readonly daily?: readonly (Figures & { readonly date: string })[];
  readonly sessions?: readonly Figures[];
  readonly channels?: readonly Figures[];
  readonly models?: readonly Figures[];
}

const usage = (home: Home, ...args: string[]) => home.json<Printed>('usage', '--timezone', 'UTC', ...args);

/** A line of Claude Code. */
function answer(id: string, output: number, at = '2026-11-15T10:00:00.000Z'): string {
  const usage = { input_tokens: 10, output_tokens: output };
  const message = { id, model: 'claude-opus-4-7', usage };
  return JSON.stringify({ type: 'assistant', timestamp: at, requestId: `req_${id}`, message });
}

/** A transcript of Claude Code in a project of its own. */
function writeLines(home: Home, text: string, session = SESSION): string {
  const folder = join(home.env.CLAUDE_CONFIG_DIR!, 'projects', '-home-user-app');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${session}.jsonl`);
  writeFileSync(path, text);
  return path;
}

const cacheOf = (home: Home) => join(home.folder, '.cache', 'openbot', 'usage');
const outputOf = async (home: Home) => (await usage(home, '--source', 'claude')).totals.outputTokens;

describe('what was counted is kept', () => {
  test('and only what came since is read', async () => {
    const home = makeHome();
    const path = writeLines(home, `${answer('a', 1)}\n${answer('b', 2)}\n`);
    expect(await outputOf(home)).toBe(3);
    appendFileSync(path, `${answer('c', 4)}\n`);
    expect(await outputOf(home)).toBe(7);
    expect(await outputOf(home)).toBe(7);
    expect(readdirSync(cacheOf(home))).toHaveLength(3);
    expect(statSync(cacheOf(home)).mode & 0o077).toBe(0);
  });

  test('a half line counts when it is whole, and then once', async () => {
    const home = makeHome();
    const half = answer('b', 2);
    const path = writeLines(home, `${answer('a', 1)}\n${half.slice(0, 40)}`);
    expect(await outputOf(home)).toBe(1);
    appendFileSync(path, half.slice(40));
    expect(await outputOf(home)).toBe(3);
    appendFileSync(path, `\n${answer('c', 4)}\n`);
    expect(await outputOf(home)).toBe(7);
  });

  test('a file that was rewritten in its place, also to the same size and time, is read again', async () => {
    const home = makeHome();
    const path = writeLines(home, `${answer('a', 1)}\n`);
    expect(await outputOf(home)).toBe(1);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, `${answer('a', 9)}\n`);
    utimesSync(path, atime, mtime);
    expect(await outputOf(home)).toBe(9);
    writeFileSync(path, `${answer('x', 20)}\n${answer('y', 30)}\n`);
    expect(await outputOf(home)).toBe(50);
  });

  test('a file that is gone does not count, and what it repeated counts elsewhere', async () => {
    const home = makeHome();
    const path = writeLines(home, `${answer('a', 1)}\n${answer('b', 2)}\n`);
    writeLines(home, `${answer('b', 2)}\n${answer('c', 4)}\n`, 'aaaa0002-0000-4000-8000-000000000002');
    expect(await outputOf(home)).toBe(7);
    rmSync(path);
    expect(await outputOf(home)).toBe(6);
  });

  test('what is left of killed reports, or of places long gone, is removed', async () => {
    const home = makeHome();
    writeLines(home, `${answer('a', 1)}\n`);
    mkdirSync(cacheOf(home), { recursive: true });
    const old = (name: string, days: number) => {
      const path = join(cacheOf(home), name);
      writeFileSync(path, '{}');
      utimesSync(path, Date.now() / 1000, Date.now() / 1000 - days * 86_400);
    };
    old('pi-00000000.all.json', 100);
    old('pi-00000001.all.json', 10);
    old('pi-00000001.all.json.77.tmp', 1);
    await outputOf(home);
    const names = readdirSync(cacheOf(home)).filter((name) => name.startsWith('pi'));
    expect(names).toEqual(['pi-00000001.all.json']);
  });

  test('a damaged cache, or none, changes nothing', async () => {
    const home = makeHome();
    writeLines(home, `${answer('a', 1)}\n`);
    expect(await outputOf(home)).toBe(1);
    for (const name of readdirSync(cacheOf(home))) writeFileSync(join(cacheOf(home), name), '{"of":');
    expect(await outputOf(home)).toBe(1);
    rmSync(cacheOf(home), { recursive: true });
    writeFileSync(cacheOf(home), 'in the way');
    expect(await outputOf(home)).toBe(1);
  });
});

test('lines longer than a chunk, and without an end, are read', async () => {
  const home = makeHome();
  const long = JSON.stringify({ type: 'user', text: 'x'.repeat(1_500_000) });
  const wide = answer('b', 2).replace('{', `{"padding":"${'y'.repeat(1_200_000)}",`);
  writeLines(home, [answer('a', 1), long, wide, long, answer('c', 4)].join('\n'));
  expect(await outputOf(home)).toBe(7);
});

test('days begin where the time zone says, and are chosen by it', async () => {
  const home = makeHome();
  const times = ['2026-03-29T22:30:00.000Z', '2026-03-28T23:30:00.000Z', '2026-03-28T22:30:00.000Z'];
  writeLines(home, times.map((at, index) => `${answer(`m${index}`, 1, at)}\n`).join(''));
  const days = async (zone: string, ...args: string[]) => {
    const { daily } = await home.json<Printed>('usage', '--source', 'claude', '--timezone', zone, ...args);
    return daily!.map(({ date, outputTokens }) => `${date} ${outputTokens}`);
  };
  expect(await days('UTC')).toEqual(['2026-03-28 2', '2026-03-29 1']);
  // Summer begins that night.
  expect(await days('Europe/Berlin')).toEqual(['2026-03-28 1', '2026-03-29 1', '2026-03-30 1']);
  expect(await days('Europe/Berlin', '--since', '2026-03-29')).toEqual(['2026-03-29 1', '2026-03-30 1']);
  expect(await days('Europe/Berlin', '--until', '20260328')).toEqual(['2026-03-28 1']);
  expect(await days('Asia/Kathmandu')).toEqual(['2026-03-29 2', '2026-03-30 1']);
  expect(await days('UTC', '-n', '1')).toEqual(['2026-03-29 1']);
});

test('--since and --until of a number of days divide the time', async () => {
  const home = makeHome();
  const day = 86_400_000;
  const at = (ago: number) => new Date(Date.now() - ago * day).toISOString();
  // What is exactly as old as the limit counts: the clock may not have gone on.
  writeLines(home, [0, 6, 7.01, 8].map((ago) => `${answer(`m${ago}`, 1, at(ago))}\n`).join(''));
  const count = async (...args: string[]) =>
    (await usage(home, '--source', 'claude', ...args)).totals.outputTokens;
  expect(await count('--since', '7d')).toBe(2);
  expect(await count('--until', '1w')).toBe(2);
  expect(await count('--since', '1d')).toBe(1);
  expect(await count('--since', '12h')).toBe(1);
});

describe('state folders of OpenClaw', () => {
  function placeFiles(home: Home): string {
    const sessions = join(home.stateDir, 'agents', 'main', 'sessions');
    mkdirSync(sessions, { recursive: true });
    cpSync(join(FIXTURES, 'openclaw-files', '2026.7.35'), sessions, { recursive: true });
    return sessions;
  }
  const bytesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${name} ${readFileSync(join(parentPath, name)).toString('base64')}`);

  test('in files: with archives, copies once, costs as recorded, and nothing written', async () => {
    const home = makeHome();
    const sessions = placeFiles(home);
    const before = bytesOf(home.stateDir);
    const { totals, sessions: rows } = await usage(home, 'session');
    expect(totals).toMatchObject({ inputTokens: 468_554, outputTokens: 370, costSource: 'recorded' });
    expect(totals.totalCost).toBeCloseTo(0.46951, 6);
    expect(rows).toHaveLength(12);
    expect(rows).toContainEqual(
      expect.objectContaining({ agentId: 'main', sessionKey: 'agent:main:imgsend', channel: 'webchat' }),
    );
    cpSync(
      join(sessions, 'c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl'),
      join(sessions, 'f0f0f0f0-0d03-422c-a73d-4631a34efc6c.jsonl'),
    );
    expect((await usage(home)).totals).toEqual(totals);
    rmSync(join(sessions, 'f0f0f0f0-0d03-422c-a73d-4631a34efc6c.jsonl'));
    expect(bytesOf(home.stateDir)).toEqual(before);
  });

  test('in a database, as its own source and as a named folder', async () => {
    const home = makeHome();
    const folder = join(home.folder, '.openclaw');
    mkdirSync(join(folder, 'agents', 'main', 'agent'), { recursive: true });
    cpSync(
      join(FIXTURES, 'openclaw-sqlite', 'openclaw-agent.sqlite'),
      join(folder, 'agents', 'main', 'agent', 'openclaw-agent.sqlite'),
    );
    const before = bytesOf(folder);
    const { totals } = await usage(home, '--source', 'openclaw');
    expect(totals).toMatchObject({ inputTokens: 67_657, outputTokens: 167, cacheReadTokens: 180 });
    expect((await usage(home, 'session', '--state-dir', folder)).sessions).toEqual([
      expect.objectContaining({ sessionKey: 'agent:main:main', inputTokens: 64_215 }),
      expect.objectContaining({ sessionKey: 'agent:main:think', inputTokens: 3442 }),
    ]);
    const other = await home.run(['usage', '--source', 'openclaw', '--agent', 'other']);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('There is no agent other')]);
    expect(bytesOf(folder)).toEqual(before);
  });

  test('whose sessions are where its configuration says', async () => {
    const home = makeHome();
    const store = join(home.folder, 'elsewhere', '{agentId}', 'sessions.json');
    mkdirSync(home.stateDir);
    const config = `{ session: { store: ${JSON.stringify(store)} }, agents: { list: [{ id: 'ops' }] } } // by hand`;
    writeFileSync(join(home.stateDir, 'openclaw.json'), config);
    const files = join(FIXTURES, 'openclaw-files', '2026.1.30');
    cpSync(files, join(home.folder, 'elsewhere', 'ops'), { recursive: true });
    const { sessions } = await usage(home, 'session', '--agent', 'ops');
    expect(sessions!.map(({ inputTokens }) => inputTokens)).toEqual([10_464, 10_467]);
  });

  test('all sources together are the sum of each', async () => {
    const home = makeHome();
    placeFiles(home);
    addFixtures(home);
    home.env.PI_CODING_AGENT_SESSION_DIR = join(FIXTURES, 'pi');
    const sources = ['openbot', 'claude', 'pi'];
    const each = await Promise.all(sources.map((source) => usage(home, '--source', source)));
    const all = await usage(home, 'channel', '--source', 'all');
    const sum = each.reduce((tokens, { totals }) => tokens + totals.totalTokens, 0);
    expect(all.totals.totalTokens).toBe(sum);
    expect(all.channels!.map(({ channel }) => channel).toSorted()).toEqual([
      'claude-code',
      'pi',
      'unknown',
      'webchat',
    ]);
  });
});

test('what an agent asked of Claude Code counts once where both are counted', async () => {
  const home = makeHome();
  writeLines(home, `${answer('a', 5)}\n`);
  const sessions = join(home.stateDir, 'agents', 'main', 'sessions');
  mkdirSync(sessions, { recursive: true });
  const message = { role: 'assistant', model: 'opus', timestamp: 1_794_766_000_000 };
  const lines = ['claude', 'mine'].map((provider, index) => {
    const usage = { input: 1, output: index === 0 ? 5 : 7 };
    return JSON.stringify({
      type: 'message',
      id: `0000000${index}`,
      message: { ...message, provider, usage },
    });
  });
  writeFileSync(join(sessions, `${SESSION}.jsonl`), lines.join('\n'));
  expect((await usage(home)).totals.outputTokens).toBe(12);
  expect((await usage(home, '--source', 'all')).totals.outputTokens).toBe(12);
});

describe('prices', () => {
  /** A line of this program that records no cost. */
  function place(home: Home, ...models: [provider: string, model: string, cost?: number][]): void {
    const sessions = join(home.stateDir, 'agents', 'main', 'sessions');
    mkdirSync(sessions, { recursive: true });
    const lines = models.map(([provider, model, total], index) => {
      const usage = { input: 1_000_000, output: 0, ...(total !== undefined && { cost: { total } }) };
      const message = { role: 'assistant', provider, model, usage, timestamp: 1_794_766_000_000 + index };
      return `${JSON.stringify({ type: 'message', id: `0000000${index}`, message })}\n`;
    });
    writeFileSync(join(sessions, `${SESSION}.jsonl`), lines.join(''));
  }
  const costs = async (home: Home) =>
    (await usage(home, 'model')).models!.map(
      ({ modelName, totalCost, costSource }) => `${modelName} ${totalCost} ${costSource}`,
    );

  test('are those of the transcript, the configuration, the list of Claude models and that of pi', async () => {
    const home = makeHome();
    place(
      home,
      ['anthropic', 'claude-opus-4-7'],
      ['anthropic', 'claude-haiku-4-5', 0.5],
      ['mine', 'large'],
      ['openai', 'gpt-5.4'],
      ['nobody', 'tiny'],
    );
    const models = [{ id: 'large', cost: { input: 7, output: 1 } }];
    const config = { models: { providers: { mine: { baseUrl: 'http://localhost:1', api: 'x', models } } } };
    writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify(config));
    expect(await costs(home)).toEqual([
      'large 7 config',
      'claude-opus-4-7 5 built-in',
      // pi's price of a prompt that is longer than 272,000 tokens.
      'gpt-5.4 5 pi',
      'claude-haiku-4-5 0.5 recorded',
      'tiny 0 unknown',
    ]);
    const { totals } = await usage(home);
    expect(totals).toMatchObject({ totalCost: 17.5, costSource: 'mixed', missingPricing: true });
    expect(totals.unpricedModels).toEqual(['tiny']);
    const { stdout } = await home.run(['usage', 'model']);
    expect(stdout).toMatch(/^tiny .* –(?: |$)/m);
    expect(stdout).toMatch(/^Total .* ≥ \$17\.50$/m);
    expect(stdout).toContain('Unknown price: tiny');
  });

  test('a configuration that cannot be read is said, and the rest is counted', async () => {
    const home = makeHome();
    place(home, ['anthropic', 'claude-opus-4-7']);
    writeFileSync(join(home.stateDir, 'openbot.json'), '{"models":{"providers":{"a":{"models":"cost"}}}}');
    const { code, stdout, stderr } = await home.run(['usage']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Prices of the configuration are left out'),
    });
    expect(stdout).toMatch(/\$5\.00/);
  });
});

test.each([['daily'], ['monthly'], ['session'], ['model'], ['channel']])(
  '%s --json has the shape that is documented',
  async (report) => {
    const home = makeHome();
    addFixtures(home);
    const printed = await usage(home, report, '--source', 'claude', '--since', '2026-11-01', '--limit', '3');
    const command = listVisible(OPENBOT).find(({ name }) => name === 'usage')!;
    expect(listMisfits(Object.values(await command.results!())[0]!, printed)).toEqual([]);
  },
);

describe('on a terminal', () => {
  test.each([40, 80, 200])('of %i columns', async (columns) => {
    const home = makeHome();
    home.env.CLAUDE_CONFIG_DIR = join(FIXTURES, 'ccusage');
    const args = ['usage', 'session', '--breakdown', '--source', 'claude', '--timezone', 'UTC'];
    const { stdout: coloured } = await home.run(args, { isTTY: true, columns });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    const stdout = coloured.replaceAll(/\u001b\[\d+m/g, '');
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toMatch(columns === 40 ? /^SESSION +TOKENS +COST$/ : /^SESSION .*INPUT +OUTPUT/);
    expect(stdout).toContain('█');
    expect(stdout).toMatch(columns === 200 ? /Total .*1,520,570/ : /Total .*1\.5M/);
    expect(stdout).toMatch(/^ └ c\S*s-4-7-fast /m);
  });

  test('nothing that acts on it is printed', async () => {
    const home = makeHome();
    writeLines(home, `${answer('a', 1).replace('claude-opus-4-7', 'bad\\u001b[31mmodel')}\n`);
    const { stdout } = await home.run(['usage', 'model', '--source', 'claude']);
    expect(stdout).toContain('bad�[31mmodel');
    expect(stdout).not.toContain('\u001b');
  });
});

test.each([
  [['wekly'], /one of daily, monthly/],
  [['--by', 'modl'], /Did you mean model/],
  [['daily', '--by', 'model'], /contradict/],
  [['--since', '2026-02-30'], /is not a time for --since/],
  [['--until', 'tomorrow'], /is not a time for --until/],
  [['--since', '2026-11-02', '--until', '2026-11-01'], /is after/],
  [['--timezone', 'Mars/Phobos'], /no time zone/],
  [['--source', 'claude', '--agent', 'main'], /belong to no agent/],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await makeHome().run(['usage', ...args]);
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
});

test('nothing there is said, and no error', async () => {
  const home = makeHome();
  const { code, stdout } = await home.run(['usage', '--since', '2026-11-01']);
  expect(code).toBe(0);
  expect(stdout).toBe(`No usage since 2026-11-01 in ${home.stateDir}.\n`);
  expect((await usage(home)).totals).toMatchObject({ totalTokens: 0, totalCost: 0 });
});
