/** Every command as a process of its own: what a terminal shows, what a pipe gets, and how it ends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { textWidth } from '@openbot/sessions/terminal-text';
import { describe, expect, it } from 'vitest';
import { HUNT, isTorture, LONG, sample } from '../../../../test/setup/hunt.ts';
import { noTerminal, screenOf, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { OPENBOT } from '../../src/cli/main.ts';
import type { SessionPlace } from '../kept-sessions/session-places.ts';
import { COMMAND } from '../setup/command-file.ts';
import { makeHome } from '../setup/run-openbot.ts';
import { makeCommandPlace, type PlaceKind } from './command-places.ts';
import { CHANGES, type CommandRow, LOOKS } from './command-rows.ts';

it('each command has a row', () => {
  const rows = new Set([...LOOKS, ...CHANGES].map(({ command }) => command));
  expect(OPENBOT.commands.map(({ name }) => name).filter((name) => !rows.has(name))).toEqual([]);
});

const rowsOf = (kind: PlaceKind, rows: readonly CommandRow[]) =>
  rows.filter(({ codes }) => codes[kind] !== null);

interface Ran {
  readonly row: CommandRow;
  readonly code: number;
  /** What the terminal was sent. */
  readonly shown: string;
}

const MARK = '\u001e';

/** Runs the rows one after the other, by one shell in one terminal. */
async function runAll(
  rows: readonly CommandRow[],
  place: SessionPlace,
  options: { columns: number; redirect: (at: number) => string },
): Promise<Ran[]> {
  const quote = (word: string) =>
    `'${word.replaceAll('{home}', place.home).replaceAll('{state}', place.stateDir).replaceAll("'", "'\\''")}'`;
  const start = [process.execPath, ...COMMAND].map(quote).join(' ');
  const lines = rows.map(({ command, words }, at) => {
    const line = `${start} ${[...command.split(' '), ...words].map(quote).join(' ')} ${options.redirect(at)}`;
    return `${line} < /dev/null\nprintf '${MARK}%s${MARK}' $?`;
  });
  const script = join(place.home, 'script.sh');
  writeFileSync(script, lines.join('\n'));
  const env = { ...place.env, PAGER: 'cat' };
  const { text } = await startInTerminal(['sh', script], { env, cwd: place.home, columns: options.columns })
    .ended;
  const parts = text.split(MARK);
  return rows.map((row, at) => ({ row, shown: parts[2 * at]!, code: Number(parts[2 * at + 1]) }));
}

const nameOf = ({ command, words }: CommandRow) => [command, ...words].join(' ');
const codesOf = (ran: readonly Ran[]) => ran.map(({ row, code }) => [nameOf(row), code]);
const expectedCodes = (rows: readonly CommandRow[], kind: PlaceKind) =>
  rows.map((row) => [nameOf(row), row.codes[kind]]);

/** A path, an id or a command to copy has a line of its own, with its name before it, and the terminal breaks it where it must. */
const isWhole = (line: string) => /^\s*(?:\S+ )?(?:\S+|'?(?:openbot|openclaw) .*)$/.test(line);

function listTooWide(shown: string, columns: number): string[] {
  // A line of progress, which a slow machine shows, is erased.
  return screenOf(shown, Number.POSITIVE_INFINITY).filter(
    (line) => textWidth(line) > columns && !isWhole(line),
  );
}

/** Of what the state folders hold: sequences that no command writes itself. */
const ACTING = ['\u001b]', '\u001b[5m', '\u0007', '\u202e'];

describe.skipIf(noTerminal !== undefined)(`in a terminal ${noTerminal ?? ''}`, { timeout: 600_000 }, () => {
  it.each([
    ['own', 40, [...sample(LOOKS, { gate: 10 }), ...CHANGES]],
    ['own', 200, isTorture ? LOOKS : LOOKS.slice(0, 4)],
    ['files', 40, isTorture ? [...LOOKS, ...CHANGES] : CHANGES.slice(0, 4)],
    ['sqlite', 40, isTorture ? [...LOOKS, ...CHANGES] : LOOKS.slice(0, 4)],
  ] as const)('on a folder of the kind %s, %i columns wide', HUNT, async (kind, columns, all) => {
    const rows = rowsOf(kind, all);
    const ran = await runAll(rows, await makeCommandPlace(kind), { columns, redirect: () => '' });
    expect(codesOf(ran)).toEqual(expectedCodes(rows, kind));
    const wide = ran.filter(({ row }) => !row.isData);
    expect(
      wide.flatMap(({ row, shown }) => listTooWide(shown, columns).map((line) => [nameOf(row), line])),
    ).toEqual([]);
    expect(
      ran.filter(({ shown }) => ACTING.some((text) => shown.includes(text))).map(({ row }) => nameOf(row)),
    ).toEqual([]);
    // A failure says what to do.
    const silent = ran.filter(({ code, shown }) => code !== 0 && !/\n {2}\S|✗/.test(shown));
    expect(silent.map(({ row, shown }) => [nameOf(row), shown])).toEqual([]);
  });

  it('--json is what is documented, and an error leaves stdout empty', LONG, async () => {
    const place = await makeCommandPlace('own');
    const rows = rowsOf('own', [...LOOKS, ...CHANGES])
      .filter(printsJson)
      .map(withJson);
    const at = (n: number, name: string) => join(place.home, `${n}.${name}`);
    const redirect = (n: number) => `> ${at(n, 'out')} 2> ${at(n, 'err')}`;
    const ran = await runAll(rows, place, { columns: 40, redirect });
    expect(codesOf(ran)).toEqual(expectedCodes(rows, 'own'));
    const faults = ran.map(({ row, code }, n) => {
      const [stdout, stderr] = ['out', 'err'].map((name) => readFileSync(at(n, name), 'utf8'));
      return listFaults(row, { code, stdout: stdout!, stderr: stderr! });
    });
    expect((await Promise.all(faults)).flat()).toEqual([]);
  });
});

it.each(['own', 'files', 'sqlite'] as const)('--json on a folder of the kind %s', async (kind) => {
  const place = await makeCommandPlace(kind);
  for (const row of rowsOf(kind, LOOKS).filter(printsJson).map(withJson)) {
    const ran = await place.runHere(...row.command.split(' '), ...row.words);
    expect([nameOf(row), ran.code, await listFaults(row, ran)]).toEqual([nameOf(row), row.codes[kind], []]);
  }
});

function printsJson({ command }: CommandRow): boolean {
  return 'json' in OPENBOT.commands.find(({ name }) => name === command)!.flags;
}

const withJson = (row: CommandRow): CommandRow => ({ ...row, words: [...row.words, '--json'] });

const ERROR = {
  success: 'false',
  error: { code: 'string', message: 'string', hint: 'string', 'reason?': 'string' },
};

async function listFaults(
  { command }: CommandRow,
  { code, stdout: out, stderr: err }: { code: number; stdout: string; stderr: string },
): Promise<string[]> {
  // A check that finds faults has a result.
  if (code !== 0 && out === '') return listMisfits(ERROR, JSON.parse(err));
  const shapes = Object.values(await OPENBOT.commands.find(({ name }) => name === command)!.results!());
  const misfits = shapes.map((shape) => listMisfits(shape, JSON.parse(out)));
  const warnings = err.split('\n').filter((line) => line !== '' && !('warning' in JSON.parse(line)));
  return [...(misfits.find((list) => list.length === 0) ?? misfits[0]!), ...warnings];
}

it.each(OPENBOT.commands.filter(({ hidden }) => !hidden).map(({ name }) => name))(
  '%s refuses a flag that it does not have',
  async (name) => {
    const { code, stdout, stderr } = await makeHome().run([...name.split(' '), '--frobnicate', '--json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(listMisfits(ERROR, JSON.parse(stderr))).toEqual([]);
  },
);
