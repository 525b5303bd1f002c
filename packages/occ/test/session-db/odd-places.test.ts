/** Sessions whose id cannot be a file name, and databases outside a state folder. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { makeHome } from './database-home.ts';
import { readAsFile, readLinesOf } from './look-into.ts';
import { ID, makeEvents, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const OTHER = '00000000-0000-4000-8000-000000000002';
const CLEAN = '--strip-tools=extreme';

describe('an id that would lead out of the sessions folder', () => {
  test.each(
    sample(['../../x', 'a/b', '/x', 'a\\b', '..', 'nul\u0000', 'x'.repeat(300), `${ID}.backup.1`], {
      gate: 2,
    }),
  )('%j: shown and copied, never changed', HUNT, async (sessionId) => {
    const events = generateEvents({ seed: 3, turns: 8, rounds: 1, resultLength: 1500, sessionId });
    const home = makeHome([{ key: 'agent:main:main', sessionId, events }]);
    const files = takeFileSnapshot(home.folder);
    for (const args of [
      ['edit', 'main', CLEAN],
      ['edit', 'main', CLEAN, '--force'],
      ['edit', 'main', CLEAN, '--dry-run'],
      ['restore', 'main'],
      ['restore', 'main', '--list'],
    ]) {
      const { code, message, hint } = await home.refused(...args);
      expect([code, message]).toEqual([
        'SESSION_UNSUPPORTED',
        expect.stringContaining('cannot be a file name'),
      ]);
      expect(message.length).toBeLessThan(400);
      expect(hint).toContain('occ clone');
    }
    expect(await home.json('list')).toMatchObject([{ sessionId }]);
    expect(await home.json('info', 'main')).toMatchObject({ sessionId, turns: { total: 8 } });
    expect(takeFileSnapshot(home.folder)).toEqual(files);
    expect(existsSync(home.sessions)).toBe(false);

    const { clonedSessionId } = await home.json('clone', 'main');
    expect(await home.json('edit', clonedSessionId, CLEAN)).toMatchObject({ changed: true });
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });
});

describe('a database in no state folder', () => {
  let home: TalkingHome;
  let folder: string;
  const copyTo = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    cpSync(home.path, path);
    return path;
  };
  beforeEach(() => {
    home = makeTalkingHome();
    folder = join(home.folder, 'my copies');
  });

  test('has its backups in a folder of its own: those of a copy beside it stay', async () => {
    const original = home.file();
    const paths = [copyTo('a.sqlite'), copyTo('b.sqlite'), copyTo('deep/agent/openclaw-agent.sqlite')];
    for (const path of paths) {
      const { backupPath } = await home.json('edit', path, CLEAN);
      expect(backupPath).toBe(join(`${path}.sessions`, 'backups', `${ID}.backup.1.jsonl`));
    }
    for (const path of paths) {
      expect(await home.json('restore', path, '--list')).toHaveLength(1);
      await home.json('restore', path);
      expect(readAsFile(path, ID)).toBe(original);
    }
    expect(readdirSync(folder).sort()).toEqual(
      ['a.sqlite', 'b.sqlite'].flatMap((name) => [name, `${name}.sessions`]).concat('deep'),
    );
  });

  test('a link to a database has the backups of the database', async () => {
    const path = copyTo('a.sqlite');
    await home.edit(CLEAN);
    const link = join(home.folder, 'link.sqlite');
    symlinkSync(home.path, link);
    expect(await home.json('restore', link, '--list')).toHaveLength(1);
    const other = join(home.folder, 'other.sqlite');
    symlinkSync(path, other);
    expect((await home.json('edit', other, CLEAN)).backupPath).toContain(`${path}.sessions`);
  });

  test('with several sessions: each is named by the transcript that it would have, and the command for undoing too', async () => {
    const several = makeHome([
      { key: 'agent:main:main', sessionId: ID, events: makeEvents() },
      { key: 'agent:main:other', sessionId: OTHER, events: makeEvents() },
    ]);
    const path = join(several.folder, 'of agents', 'copy.sqlite');
    mkdirSync(dirname(path));
    renameSync(several.path, path);
    const original = readAsFile(path, ID);
    const { hint } = await several.refused('edit', path, CLEAN);
    expect(hint).toContain(`'${path}.sessions'/<id>.jsonl`);
    const edited = await several.occ('edit', `${path}.sessions/${ID}.jsonl`, CLEAN);
    expect(edited.code).toBe(0);
    const [, undo] = /Undo: occ restore '(.*)'\n/.exec(edited.stdout)!;
    await several.json('restore', undo!);
    expect(readAsFile(path, ID)).toBe(original);
    expect(readLinesOf(path, OTHER).length).toBeGreaterThan(0);
  });

  test('that only has the name of the folders in common with one: the printed command names it by its path', async () => {
    const path = join(home.folder, 'agents', 'main', 'agent', 'copy.sqlite');
    mkdirSync(dirname(path), { recursive: true });
    cpSync(home.path, path);
    const { stdout } = await home.occ('edit', path, CLEAN);
    expect(stdout).toContain(`Undo: occ restore ${path}\n`);
  });

  test('a backup that is named by its path leads back to its session', async () => {
    const original = home.file();
    const copy = copyTo('a.sqlite');
    for (const [name, path] of [
      [ID, home.path],
      [copy, copy],
    ] as const) {
      const { backupPath } = await home.json('edit', name, CLEAN);
      const { code, hint } = await home.refused('info', backupPath);
      expect(code).toBe('SESSION_UNSUPPORTED');
      const [, session, number] = /occ restore '?(.*?)'? --backup (\d+) /.exec(hint)!;
      await home.json('restore', session!, '--backup', number!);
      expect(readAsFile(path, ID)).toBe(original);
    }
  });
});
