/** `openbot history` on state folders of each kind. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { describe, expect, test } from 'vitest';
import { HISTORY } from '../../src/commands/history/result-shapes.ts';
import { addFixtures, type Home, makeHome } from '../setup/run-openbot.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

/** OpenClaw's files, as the state folder. */
function makeFilesHome(): Home {
  const home = makeHome();
  const sessions = join(home.stateDir, 'agents/main/sessions');
  cpSync(join(FIXTURES, 'openclaw-files/2026.7.35'), sessions, { recursive: true });
  // Its entries name the files where they once were.
  const store = JSON.parse(readFileSync(join(sessions, 'sessions.json'), 'utf8'));
  for (const entry of Object.values<Record<string, unknown>>(store)) delete entry.sessionFile;
  writeFileSync(join(sessions, 'sessions.json'), JSON.stringify(store));
  return home;
}

const THINK = '393b2f9e-21b3-4832-bdde-ba00cccf047c';
const COMPACTED = 'fixtures/openclaw-files/2026.7.35/compacted-pristine.jsonl';
const PI = join(FIXTURES, 'pi/2026-11-15T18-15-19-521Z_01a1e06b-bce1-735d-a082-c1400a6f09fc.jsonl');
const TURNS = join(FIXTURES, 'pi/2026-11-15T18-15-19-520Z_01a1e06b-bce0-75e8-9a8f-dbd09a3b48a2.jsonl');

interface Printed {
  sessionId: string;
  sessionKey?: string;
  turns: number;
  shown?: object;
  otherBranches: number;
  messages: {
    role: string;
    turn: number | null;
    id?: string;
    text: string;
    marked?: true;
    otherBranch?: true;
    calls?: { name: string; result?: { text: string } }[];
  }[];
}

const saidIn = ({ messages }: Printed) =>
  messages.filter(({ role }) => role === 'user').map(({ text }) => text);

describe('a session is found', () => {
  test.each([
    ['by its id', THINK],
    ['by the beginning of its id', THINK.slice(0, 6)],
    ['by its key', 'agent:main:think'],
    ['by a path', `agents/main/sessions/${THINK}.jsonl`],
    [
      'as an archive',
      'agents/main/sessions/7f130267-422b-4298-85b7-be159bd6986d.jsonl.reset.2026-11-15T18-14-09.411Z',
    ],
  ])('%s', async (_, name) => {
    const home = makeFilesHome();
    const args = ['history', name, '--json'];
    const { code, stdout, stderr } = await home.run(args, { cwd: home.stateDir });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const printed = JSON.parse(stdout) as Printed;
    expect(printed.sessionId.slice(0, 8)).toBe(/reset/.test(name) ? '7f130267' : '393b2f9e');
    expect(listMisfits(HISTORY, printed)).toEqual([]);
  });

  test('in a database, by its key', async () => {
    const home = makeHome();
    const database = join(home.stateDir, 'agents/main/agent/openclaw-agent.sqlite');
    mkdirSync(dirname(database), { recursive: true });
    cpSync(join(FIXTURES, 'openclaw-sqlite/openclaw-agent.sqlite'), database);
    const printed = await home.json<Printed>('history', 'agent:main:main');
    expect(printed).toMatchObject({ sessionKey: 'agent:main:main', turns: 2 });
    expect(listMisfits(HISTORY, printed)).toEqual([]);
  });

  test('of Claude Code, with --source, also by all', async () => {
    const home = makeHome();
    addFixtures(home);
    for (const source of ['claude', 'all']) {
      const printed = await home.json<Printed>('history', 'aaaa0007', '--source', source);
      expect(saidIn(printed)).toEqual(['@@bash go', '@@hello after compact']);
      expect(listMisfits(HISTORY, printed)).toEqual([]);
    }
    const { code, stderr } = await home.run(['history', 'aaaa0007']);
    expect(code).toBe(1);
    expect(stderr).toContain('add --source claude');
  });

  test('by OpenClaw where that keeps it, not only in the own folder', async () => {
    const home = makeFilesHome();
    cpSync(home.stateDir, join(home.folder, '.openclaw'), { recursive: true });
    rmSync(home.stateDir, { recursive: true });
    expect((await home.run(['history', 'agent:main:think'])).code).toBe(1);
    for (const source of ['openclaw', 'all']) {
      const printed = await home.json<Printed>('history', 'agent:main:think', '--source', source);
      expect(printed.sessionId).toBe(THINK);
    }
  });

  test('or there is none, and the hint says how to begin', async () => {
    const home = makeHome();
    const { stderr } = await home.run(['history']);
    expect(stderr).toContain(`There are no sessions in ${home.stateDir}\n`);
    expect(stderr).toContain('openbot agent -m "hello"');
  });

  test('without a name: the most recently active one, which is named', async () => {
    const home = makeFilesHome();
    const { stdout } = await home.run(['history']);
    expect(stdout).toMatch(
      /^agent:main:\w+ · [0-9a-f-]{36} · \d+ turns?\nThe most recently active session\.\n/,
    );
  });
});

describe('a part of it', () => {
  const home = () => makeHome();
  const ask = (...args: string[]) => home().json<Printed>('history', TURNS, ...args);

  test.each([
    [['--turn', '2'], ['turn 1'], { first: 2, last: 2 }],
    [['--turn', '2-3'], ['turn 1', 'turn 2'], { first: 2, last: 3 }],
    [['--turn', '5-'], ['turn 4', 'turn 5'], { first: 5, last: 6 }],
    [['--turn', '5-99'], ['turn 4', 'turn 5'], { first: 5, last: 6 }],
    [['--last', '1'], ['turn 5'], { first: 6, last: 6 }],
    [['--last', '99'], ['turn 0', 'turn 1', 'turn 2', 'turn 3', 'turn 4', 'turn 5'], { first: 1, last: 6 }],
  ])('%j', async (args, said, shown) => {
    const printed = await ask(...args);
    expect(saidIn(printed)).toEqual(said);
    expect(printed).toMatchObject({ shown, turns: 6 });
    expect(new Set(printed.messages.flatMap(({ turn }) => turn ?? [])).size).toBe(
      shown.last - shown.first + 1,
    );
  });

  test('--at shows the turn of an entry, marked, by its id or the beginning of it; a result with its call', async () => {
    const lines = readFileSync(TURNS, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const third = lines.find(
      ({ message }) => message?.content?.[0]?.text === 'done 2' || message?.content === 'turn 2',
    );
    const result = lines.filter(({ message }) => message?.role === 'toolResult')[2];
    for (const id of [third.id, third.id.slice(0, 7), result.id]) {
      const printed = await ask('--at', id);
      expect(saidIn(printed)).toEqual(['turn 2']);
      const marked = printed.messages.filter((message) => message.marked);
      expect(marked).toHaveLength(1);
      expect(id === result.id ? marked[0]!.role : marked[0]!.id).toBe(
        id === result.id ? 'assistant' : third.id,
      );
    }
  });

  test('other branches: counted, shown with --all, and found by --at', async () => {
    const present = await home().json<Printed>('history', PI);
    expect(saidIn(present)).toEqual(['root', 'approach C']);
    expect(present.otherBranches).toBe(4);
    const all = await home().json<Printed>('history', PI, '--all');
    expect(saidIn(all).toSorted()).toEqual(['approach A', 'approach B', 'approach C', 'root']);
    const other = all.messages.find(({ text }) => text === 'approach A')!;
    expect(other).toMatchObject({ turn: null, otherBranch: true });
    const at = await home().json<Printed>('history', PI, '--at', other.id!);
    expect(saidIn(at)).toEqual(['approach A']);
    expect(at.messages.find(({ marked }) => marked)).toMatchObject({ text: 'approach A', otherBranch: true });
    expect((await home().run(['history', PI])).stdout).toContain(
      '4 messages on other branches are not shown; --all shows everything.',
    );
  });
});

test('--tools and --thinking show the rest', async () => {
  const home = makeHome();
  const path = join(FIXTURES, `openclaw-files/2026.7.35/${THINK}.jsonl`);
  const folded = (await home.run(['history', path])).stdout;
  expect(folded).toMatch(/⚙ read f3\.txt → 121 lines/);
  expect(folded).not.toMatch(/I should read the file first\.\n(?! {2}TOOL)|FILE-3-MARKER/);
  const whole = (await home.run(['history', path, '--tools', '--thinking'])).stdout;
  expect(whole).toContain('┊ I should read the file first.');
  expect(whole).toContain('FILE-3-MARKER');
});

test('a configuration that cannot be read is said, and the session is shown', async () => {
  const home = makeHome();
  mkdirSync(home.stateDir, { recursive: true });
  writeFileSync(join(home.stateDir, 'openbot.json'), '{ session: ');
  const said = /^Warning: Cannot read the configuration \S+openbot\.json: /;
  const shown = await home.run(['history', COMPACTED], { cwd: join(FIXTURES, '..') });
  expect([shown.code, shown.stderr]).toEqual([0, expect.stringMatching(said)]);
  expect((await home.run(['search', 'hello'])).stderr).toMatch(said);
  expect((await home.run(['usage'])).stderr).toMatch(said);
});

test.each([
  [['history', 'nothing'], /nothing|No sessions/],
  [['history', './missing.jsonl'], /There is no file/],
  [['history', COMPACTED, '--turn', '9'], /There is no turn 9: the session has 3 turns/],
  [['history', COMPACTED, '--turn', '0'], /--turn must be a turn or a range of turns, not '0'/],
  [['history', COMPACTED, '--turn', '7-3'], /--turn must be/],
  [['history', COMPACTED, '--turn', 'two'], /--turn must be/],
  [['history', COMPACTED, '--last', '0'], /--last must be a whole number of at least 1/],
  [['history', COMPACTED, '--turn', '1', '--last', '1'], /--turn and --last contradict each other/],
  [['history', COMPACTED, '--at', 'zzzz'], /The session has no entry 'zzzz'/],
  [['history', COMPACTED, '--source', 'gpt'], /--source must be one of/],
  [['history', COMPACTED, '--source', 'pi'], /is a session of OpenClaw, but --source pi selects pi/],
  [['history', 'main', '--state-dir', '/nowhere'], /The state folder \/nowhere does not exist/],
  [['history', 'package.json'], /package\.json/],
  [['history', './package.json'], /is not a transcript of OpenClaw, pi or Claude Code/],
  [['history', COMPACTED, 'another'], /another/],
])('%j is refused', async (args, message) => {
  const home = makeHome();
  const ran = await home.run(args, { cwd: join(FIXTURES, '..') });
  expect(ran.stderr).toMatch(message);
  expect(ran.stdout).toBe('');
  expect(ran.code).toBeGreaterThan(0);
  const json = await home.run([...args, '--json'], { cwd: join(FIXTURES, '..') });
  expect(JSON.parse(json.stderr)).toMatchObject({ success: false, error: { code: expect.any(String) } });
});
