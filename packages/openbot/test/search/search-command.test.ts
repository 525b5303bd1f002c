/** `openbot search` and `openbot index`, on sessions of every kind. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { describe, expect, test } from 'vitest';
import { putDatabase } from '../../../occ/test/finding/database.ts';
import { CANNOT_MOUNT, makeReadOnly, mountTinyDisk } from '../../../occ/test/setup/tiny-disk.ts';
import { OPENBOT } from '../../src/cli/main.ts';
import { AT, idOf, lineOf, makeTalkingState, said } from '../index-writing/talking-state.ts';
import { addFixtures, makeHome } from '../setup/run-openbot.ts';
import { noTerminal, spawnInTerminal } from '../setup/terminal-command.ts';
import { runOpenbot } from './search-process.ts';

interface Printed {
  hits: {
    source: string;
    sessionId: string;
    sessionKey: string | null;
    snippet: { text: string; highlights: { start: number; end: number }[] };
    open: string;
    role: string;
  }[];
  more: boolean;
  suggestions?: string[];
  index: { path: string; sessions: number; read: number };
}

function start() {
  const home = makeHome();
  const state = makeTalkingState(home.stateDir);
  state.add(
    1,
    said('a1', 'user', 'Where is the harbour of Åland?'),
    said('a2', 'assistant', 'Behind the old lighthouse.'),
  );
  state.add(2, said('b1', 'user', 'the lighthouse is closed'));
  state.setEntries({ 'agent:main:telegram:dm:7': { n: 1 }, 'agent:main:main': { n: 2, label: 'tower' } });
  const search = (...args: string[]) => home.json<Printed>('search', ...args);
  return { home, state, search };
}

async function shapeOf(name: string) {
  const results = await listVisible(OPENBOT).find((command) => command.name === name)!.results!();
  return Object.values(results)[0]!;
}

const filesBelow = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe('on own files', () => {
  test('finds, marks, and says how to open the place', async () => {
    const { home, search } = start();
    const printed = await search('lighthouse', 'old');
    expect(printed.hits).toMatchObject([
      {
        source: 'openbot',
        sessionId: idOf(1),
        sessionKey: 'agent:main:telegram:dm:7',
        role: 'assistant',
        open: `openbot history ${idOf(1)} --at a2`,
        channel: 'telegram',
        at: new Date(AT).toISOString(),
      },
    ]);
    const { text, highlights } = printed.hits[0]!.snippet;
    expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual(['old', 'lighthouse']);
    expect(printed.index).toMatchObject({
      path: join(home.stateDir, 'openbot.sqlite'),
      sessions: 2,
      read: 2,
    });
    expect(listMisfits(await shapeOf('search'), printed)).toEqual([]);
    expect((await search('lighthouse')).index.read).toBe(0);
  });

  test('what was said before a reset is found, and opened by its path', async () => {
    const { home, search } = start();
    await search('harbour');
    await home.run(['sessions', 'reset', idOf(1), '--yes']);
    const { hits } = await search('harbour');
    expect(hits).toMatchObject([{ sessionId: idOf(1), sessionKey: 'agent:main:telegram:dm:7' }]);
    const [, ...words] = hits[0]!.open.split(' ');
    expect(words).toEqual(['history', expect.stringContaining(`${idOf(1)}.jsonl.reset.`), '--at', 'a1']);
    expect((await home.run(words)).stdout).toContain('harbour of Åland');
    // As after a reset in a chat, which keeps no entry.
    rmSync(`${words[1]}.entry.json`);
    await home.json('index', 'rebuild');
    expect((await search('harbour')).hits).toMatchObject([{ sessionKey: 'agent:main:telegram:dm:7' }]);
    expect((await search('harbour', '--channel', 'telegram')).hits).toHaveLength(1);
    expect(await home.json('index', 'check')).toMatchObject({ ok: true });
    await home.run(['sessions', 'delete', idOf(2), '--yes']);
    expect((await search('closed')).hits).toEqual([]);
  });

  test('flags choose', async () => {
    const { home, search } = start();
    const idsOf = async (...args: string[]) => (await search(...args)).hits.map(({ sessionId }) => sessionId);
    expect(await idsOf('lighthouse', '--channel', 'telegram')).toEqual([idOf(1)]);
    expect(await idsOf('lighthouse', '--role', 'user')).toEqual([idOf(2)]);
    expect((await home.run(['search', 'lighthouse', '--agent', 'nobody'])).stderr).toContain(
      'no agent nobody',
    );
    expect(await idsOf('lighthouse', '--since', '2026-11-10')).toHaveLength(2);
    expect(await idsOf('lighthouse', '--since', '20261110')).toHaveLength(2);
    expect(await idsOf('lighthouse', '--since', '2999-01-01')).toEqual([]);
    expect(await search('lighthouse', '--limit', '1')).toMatchObject({ more: true, hits: [{}] });
    expect(await idsOf('aland')).toEqual([idOf(1)]);
    expect(await idsOf('light*')).toHaveLength(2);
    expect(await idsOf('old lighthouse')).toEqual([idOf(1)]);
  });

  test('of nothing it says so, and what may help', async () => {
    const { home, search } = start();
    const { hits, suggestions } = await search('lighthuose');
    expect(hits).toEqual([]);
    expect(suggestions!.join(' ')).toContain("'lighthouse'");
    const { code, stdout } = await home.run(['search', 'lighthouse', '--role', 'system']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing found for lighthouse in 2 sessions\.\n/);
    expect(stdout).toContain('leave out --role');
  });

  test.each([
    [['search'], /search for/],
    [['search', ''], /search for/],
    [['search', 'x', '--since', 'tomorrow'], /--since/],
    [['search', 'x', '--since', '2026-02-31'], /--since/],
    [['search', 'x', '--limit', '0'], /--limit/],
    [['search', 'x', '--role', 'me'], /--role/],
    [['search', 'x', '--source', 'vim'], /--source/],
    [['search', 'x', '--state-dir', '/does/not/exist'], /does not exist/],
    [['index', 'rebuilt'], /rebuild/],
  ])('%j is refused', async (args, message) => {
    const { home } = start();
    const { code, stdout, stderr } = await home.run(args);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  test.each([20, 40, 80, 200])('fits %d columns, and keeps the command whole', async (columns) => {
    const { home } = start();
    const { stdout } = await home.run(['search', 'lighthouse'], { isTTY: true, columns });
    const lines = stdout.split('\n');
    const isCommand = (line: string) => line.includes('openbot history');
    expect(lines.filter(isCommand)).toHaveLength(2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    const plain = lines.filter((line) => !isCommand(line)).map((line) => line.replace(/\u001b\[\d+m/g, ''));
    expect(Math.max(...plain.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('\u001b[33m');
  });

  test('without a state folder there is nothing, and none is made', async () => {
    const home = makeHome();
    const { code, stdout } = await home.run(['search', 'word']);
    expect(code).toBe(0);
    expect(stdout).toContain('0 sessions');
    expect(existsSync(home.stateDir)).toBe(false);
  });

  test('a state folder that cannot be written to is searched as it was indexed', async ({ skip }) => {
    const home = makeHome();
    mkdirSync(home.stateDir, { recursive: true });
    if (!mountTinyDisk(home.stateDir, 8e6)) skip(CANNOT_MOUNT);
    const state = makeTalkingState(home.stateDir);
    state.add(1, said('a1', 'user', 'Where is the harbour?'));
    await home.json('search', 'harbour');
    expect(makeReadOnly(home.stateDir)).toBe(true);
    const { code, stdout, stderr } = await home.run(['search', 'harbour', '--json']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^{"warning".*not brought up to date/)]);
    expect(JSON.parse(stdout)).toMatchObject({ hits: [{ entryId: 'a1' }], index: { sessions: 1, read: 0 } });
    expect((await home.run(['search', 'harbuor'])).stdout).toContain("'harbour'");
    expect(await home.json('index', 'check')).toMatchObject({ ok: true, messages: 1 });
    const rebuilt = await home.run(['index', 'rebuild']);
    expect([rebuilt.code, rebuilt.stderr]).toEqual([1, expect.stringMatching(/read-only/i)]);
  });

  test('it can be turned off', async () => {
    const { home } = start();
    writeFileSync(join(home.stateDir, 'openbot.json'), '{"index":{"enabled":false}}');
    const { code, stderr } = await home.run(['search', 'lighthouse']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/index\.enabled/)]);
    expect(existsSync(join(home.stateDir, 'openbot.sqlite'))).toBe(false);
  });
});

describe('on sessions of other programs', () => {
  test('a state folder of OpenClaw is only read, in files and in SQLite', async () => {
    const home = makeHome();
    const theirs = makeTalkingState(join(home.folder, '.openclaw'));
    theirs.add(1, said('a1', 'user', 'a whale in the bay'));
    writeFileSync(join(theirs.folder, 'openclaw.json'), '{}');
    putDatabase(
      home.folder,
      [{ sessionId: idOf(3), key: 'agent:ops:main', lines: [said('c1', 'user', 'a whale in the database')] }],
      'ops',
    );
    const before = filesBelow(theirs.folder);
    for (const args of [
      ['--state-dir', theirs.folder],
      ['--source', 'openclaw'],
    ]) {
      const { hits, index } = await home.json<Printed>('search', 'whale', ...args);
      expect(hits.map(({ sessionId }) => sessionId).sort()).toEqual([idOf(1), idOf(3)]);
      expect(hits[0]!.open).toContain(args.join(' '));
      expect(index.path).toBe(join(home.stateDir, 'openbot.sqlite'));
    }
    expect(filesBelow(theirs.folder)).toEqual(before);
    expect((await home.json<Printed>('search', 'whale')).hits).toEqual([]);
  });

  test('nothing is written into a folder of OpenClaw that has no configuration', async () => {
    const { home, search } = start();
    await search('lighthouse');
    const theirs = makeTalkingState(join(home.folder, 'theirs'));
    theirs.add(5, said('w1', 'user', 'a whale in the bay'));
    theirs.setEntries({ 'agent:main:main': { n: 5 } });
    const before = filesBelow(theirs.folder);
    const there = ['--state-dir', theirs.folder];
    const { hits, index } = await search('whale', ...there);
    expect(hits).toMatchObject([{ source: 'openclaw', sessionKey: 'agent:main:main' }]);
    expect(index.path).toBe(join(home.stateDir, 'openbot.sqlite'));
    const status = await runOpenbot(home.folder, ['status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ index: { sessions: 2, messages: 3 } });
    // The index of both is made anew.
    for (const args of [there, [], ['--source', 'pi']])
      expect(await home.json('index', 'rebuild', ...args)).toMatchObject({ sessions: 3, messages: 4 });
    writeFileSync(index.path, 'no database');
    expect(await home.json('index', 'rebuild', ...there)).toMatchObject({ sessions: 3 });
    expect(filesBelow(theirs.folder)).toEqual(before);
  });

  test('Claude Code and pi are indexed when they are asked for', async () => {
    const { home } = start();
    addFixtures(home);
    const folder = join(home.folder, '.pi/agent/sessions/--w--');
    mkdirSync(folder, { recursive: true });
    const header = lineOf({
      type: 'session',
      version: 3,
      id: idOf(9),
      timestamp: new Date(AT).toISOString(),
      cwd: '/w',
    });
    writeFileSync(
      join(folder, `2026-11-10T12-00-00-000Z_${idOf(9)}.jsonl`),
      header + said('p1', 'user', 'lighthouse of pi'),
    );
    const sourcesOf = async (...args: string[]) =>
      [...new Set((await home.json<Printed>('search', ...args)).hits.map(({ source }) => source))].sort();
    expect(await sourcesOf('lighthouse')).toEqual(['openbot']);
    expect(await sourcesOf('lighthouse', '--source', 'pi')).toEqual(['pi']);
    expect(await sourcesOf('lighthouse', '--source', 'all')).toEqual(['openbot', 'pi']);
    const { index } = await home.json<Printed>('search', 'lighthouse', '--source', 'claude');
    expect(index.sessions).toBeGreaterThan(0);
    expect(await home.json('index', 'check')).toMatchObject({ ok: true });
  });

  test('what subagents of Claude Code said is found, and opened by its path', async () => {
    const { home } = start();
    const project = join(home.folder, 'claude/projects/-w');
    const agents = join(project, idOf(8), 'subagents');
    mkdirSync(agents, { recursive: true });
    const line = (uuid: string, content: string, isSidechain: boolean) =>
      lineOf({
        type: 'user',
        uuid,
        parentUuid: null,
        sessionId: idOf(8),
        cwd: '/w',
        isSidechain,
        timestamp: new Date(AT).toISOString(),
        message: { role: 'user', content },
      });
    writeFileSync(join(project, `${idOf(8)}.jsonl`), line('u1', 'look into the hull', false));
    const path = join(agents, 'agent-a1.jsonl');
    writeFileSync(path, line('u2', 'find the keelson', true));
    const { hits } = await home.json<Printed>('search', 'keelson', '--source', 'claude');
    expect(hits).toMatchObject([{ source: 'claude', sessionId: idOf(8), path }]);
    const [, ...words] = hits[0]!.open.split(' ');
    expect(words.slice(0, 2)).toEqual(['history', path]);
    expect((await home.run(words)).stdout).toContain('find the keelson');
    rmSync(join(project, `${idOf(8)}.jsonl`));
    expect((await home.json<Printed>('search', 'keelson', '--source', 'claude')).hits).toEqual([]);
  });
});

describe('openbot index', () => {
  test('rebuild makes it anew, with what was indexed on demand', async () => {
    const { home, search } = start();
    addFixtures(home);
    const { index } = await home.json<Printed>('search', 'lighthouse', '--source', 'all');
    writeFileSync(index.path, 'no database');
    const rebuilt = await home.json<{ sessions: number }>('index', 'rebuild', '--source', 'all');
    expect(rebuilt.sessions).toBe(index.sessions);
    expect(listMisfits(await shapeOf('index rebuild'), rebuilt)).toEqual([]);
    expect(await home.json('index', 'rebuild')).toMatchObject({ sessions: index.sessions });
    expect((await search('lighthouse')).hits).toHaveLength(2);
  });

  test('check names what is missing, stale, extra and wrong, and changes nothing', async () => {
    const { home, state, search } = start();
    state.add(3, said('c1', 'user', 'third'));
    state.add(4, said('d1', 'user', 'fourth'));
    await search('lighthouse');
    const good = await home.json<object>('index', 'check');
    expect(good).toMatchObject({ ok: true, differences: [], sessions: 4, messages: 5 });
    expect(listMisfits(await shapeOf('index check'), good)).toEqual([]);
    const database = new DatabaseSync(join(home.stateDir, 'openbot.sqlite'));
    // Of one that stays: which session was read last is up to the time of its file.
    const { id } = database.prepare("SELECT rowid AS id FROM said WHERE said MATCH 'third'").get() as {
      id: number;
    };
    database.prepare("UPDATE said SET text = 'another' WHERE rowid = CAST(? AS INTEGER)").run(id);
    database.exec("DELETE FROM files WHERE path LIKE '%2.jsonl'");
    database.close();
    const checked = await home.run(['index', 'check', '--json']);
    expect([checked.code, checked.stderr]).toEqual([1, '']);
    const { differences } = JSON.parse(checked.stdout) as { differences: { kind: string }[] };
    expect(differences.map(({ kind }) => kind).sort()).toEqual(['missing', 'wrong']);
    rmSync(state.pathOf(3));
    state.add(4, said('d2', 'user', 'more'));
    const again = await home.run(['index', 'check']);
    expect([again.code, again.stderr]).toEqual([1, '']);
    for (const kind of ['missing', 'extra', 'stale'])
      expect(again.stdout).toMatch(new RegExp(`^${kind} `, 'm'));
    await home.run(['index', 'rebuild']);
    expect(await home.json('index', 'check')).toMatchObject({ ok: true, sessions: 3 });
  });

  test('check says that an index is damaged, and leaves it where it is', async () => {
    const { home } = start();
    writeFileSync(join(home.stateDir, 'openbot.sqlite'), 'no database'.repeat(1000));
    const { code, stdout, stderr } = await home.run(['index', 'check', '--json']);
    expect([code, stderr]).toEqual([1, '']);
    expect(listMisfits(await shapeOf('index check'), JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, fault: expect.stringContaining('openbot.sqlite') });
    expect(readdirSync(home.stateDir).filter((name) => name.includes('aside'))).toEqual([]);
    const searched = await home.run(['search', 'harbour']);
    expect(searched.stdout).toContain('harbour');
    expect(searched.stderr).toMatch(/^Warning: The index .* is damaged\..*kept as/);
  });
});

describe('as processes', () => {
  test('after a rewrite by occ', async () => {
    const { home, state, search } = start();
    let parentId: string | null = null;
    const chained = (id: string, message: object) => {
      const line = lineOf({ type: 'message', id, parentId, message });
      parentId = id;
      return line;
    };
    for (let n = 0; n < 8; n++) {
      const call = { type: 'toolCall', id: `x${n}`, name: 'exec', arguments: { command: 'unicorn' } };
      state.add(
        5,
        chained(`u${n}`, { role: 'user', content: `turn ${n}` }),
        chained(`c${n}`, { role: 'assistant', content: [call] }),
        chained(`r${n}`, { role: 'toolResult', toolCallId: `x${n}`, content: 'unicorn '.repeat(50) }),
        chained(`e${n}`, { role: 'assistant', content: [{ type: 'text', text: `answer ${n}` }] }),
      );
    }
    expect((await search('unicorn', '--tools', '-n', '50')).hits.length).toBeGreaterThan(10);
    const { executeEdit } = await import('oc-context-cleaner');
    const edited = await executeEdit({
      sessionId: state.pathOf(5),
      source: 'openclaw',
      toolRemoval: { preset: 'extreme' },
      force: true,
      cwd: home.folder,
      env: {},
    });
    expect(edited.changed).toBe(true);
    const { code, stdout } = await runOpenbot(home.folder, ['search', 'unicorn', '--tools', '--json']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Printed).hits).toEqual([]);
    expect((await search('answer', '-n', '50')).hits).toHaveLength(8);
    expect(await home.json('index', 'check')).toMatchObject({ ok: true });
  });

  test('several at once on a new index all find everything', async () => {
    const { home, state } = start();
    for (let n = 10; n < 40; n++) {
      state.add(
        n,
        ...Array.from({ length: 30 }, (_, at) => said(`m${n}-${at}`, 'user', `needle ${n} ${at}`)),
      );
    }
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => runOpenbot(home.folder, ['search', 'needle 39 29', '--json'])),
    );
    for (const { code, stdout, stderr } of runs) {
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect((JSON.parse(stdout) as Printed).hits).toHaveLength(1);
    }
    expect(await home.json('index', 'check')).toMatchObject({ ok: true, sessions: 32, messages: 903 });
  });

  test.skipIf(noTerminal !== undefined)('in a terminal, with colours', async () => {
    const { home } = start();
    const env = { ...home.env, OPENBOT_STATE_DIR: home.stateDir };
    const { stdout, code } = await spawnInTerminal(['search', 'harbour'], { cwd: home.folder, env }).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('\u001b[33m\u001b[1mharbour\u001b[22m\u001b[39m');
  });
});

test('a folder that was moved is another one', async () => {
  const { home, search } = start();
  await search('harbour');
  const moved = join(home.folder, 'moved');
  mkdirSync(dirname(moved), { recursive: true });
  cpSync(home.stateDir, moved, { recursive: true });
  renameSync(home.stateDir, `${home.stateDir}-old`);
  const { hits } = await home.json<Printed>('search', 'harbour', '--state-dir', moved);
  expect(hits).toHaveLength(1);
  expect(JSON.stringify(hits)).toContain(moved);
});
