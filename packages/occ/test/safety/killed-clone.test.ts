/** A clone that was killed before it was whole: the next command takes away what it left, and nothing else. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { ID, type Json, makeStateFolder, type StateFolder } from '../commands/state-folder.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const NEW_TRANSCRIPT = /^(?:link|rename) .*\/[0-9a-f-]{36}\.jsonl$/;

interface Where {
  readonly args: readonly string[];
  readonly under: string;
  readonly home: string;
}

/** Kills the command when the call to the disk that `wanted` describes was made, or before it. */
async function killAt({ args, under, home }: Where, wanted: RegExp, strike: 'kill-before' | 'kill-after') {
  const options = { env: { HOME: home }, cwd: home };
  // A clone that goes through first, so that the next one makes the same calls.
  const { run, calls } = await listDiskCalls(args, { under }, options);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const at = calls.findIndex((call) => wanted.test(call)) + 1;
  expect(at, calls.join('\n')).toBeGreaterThan(0);
  expect((await runOccWithFault(args, { at, strike, under }, options)).code).toBeNull();
}

describe('of a session in files', () => {
  let state: StateFolder;
  beforeEach(() => {
    state = makeStateFolder();
    state.add(createSessionWithTurns(3, 1), { entry: { totalTokens: 90_000 } });
  });

  const readIndex = () => readFileSync(join(state.sessions, 'sessions.json'), 'utf8');
  const listOrphans = () =>
    readdirSync(state.sessions).filter(
      (name) => name.endsWith('.jsonl') && !readIndex().includes(basename(name, '.jsonl')),
    );
  const listed = async () => (await state.json<Json[]>('list')).map(({ path }) => basename(path)).sort();
  const kill = (strike: 'kill-before' | 'kill-after' = 'kill-after', wanted = NEW_TRANSCRIPT) =>
    killAt({ args: ['clone', ID, '--json'], under: state.sessions, home: state.home }, wanted, strike);

  const othersThanSessions = () =>
    readdirSync(state.sessions).filter((name) => !/\.jsonl?$|^backups$/.test(name));

  it.each([['clone'], ['edit', '--strip-tools=extreme'], ['restore']])(
    'before its entry was written: no session, and swept by %s',
    async (command, ...flags) => {
      await state.json('edit', ID, '--keep', '2');
      await kill();
      expect(listOrphans()).toHaveLength(1);
      expect(await listed()).toHaveLength(2);
      await state.json(command, ID, ...flags);
      expect(listOrphans()).toEqual([]);
      expect(await listed()).toHaveLength(command === 'clone' ? 3 : 2);
      expect(othersThanSessions()).toEqual([]);
    },
  );

  it('is not taken for the most recent session', async () => {
    await kill();
    const [orphan] = listOrphans();
    const { sessionId } = await state.json('edit', '--strip-tools', '--dry-run');
    expect(`${sessionId}.jsonl`).not.toBe(orphan);
  });

  it('that another program has written to stays', LONG, async () => {
    await kill();
    const [orphan] = listOrphans();
    appendFileSync(join(state.sessions, orphan!), '{"type":"custom","id":"late","parentId":null}\n');
    await state.json('clone', ID);
    expect(await listed()).toContain(orphan);
    expect(listOrphans()).toEqual([orphan]);
    expect(othersThanSessions()).toHaveLength(0);
  });

  it('that an entry names stays', LONG, async () => {
    await kill();
    const [orphan] = listOrphans();
    const index = JSON.parse(readIndex());
    index['agent:main:kept'] = { sessionId: basename(orphan!, '.jsonl'), updatedAt: 1 };
    writeFileSync(join(state.sessions, 'sessions.json'), JSON.stringify(index));
    expect(await listed()).toContain(orphan);
    await state.json('clone', ID);
    expect(await listed()).toContain(orphan);
  });

  it('beside an index that cannot be read stays until it can', LONG, async () => {
    await kill();
    const [orphan] = listOrphans();
    const index = readIndex();
    writeFileSync(join(state.sessions, 'sessions.json'), index.slice(0, -20));
    const torn = await state.occ('list', '--json');
    expect(torn.stdout).toContain(orphan);
    writeFileSync(join(state.sessions, 'sessions.json'), index);
    expect(await listed()).not.toContain(orphan);
  });

  it('after its entry was written is a session', async () => {
    await kill('kill-before', /^unlink .*\.cloning$/);
    expect(await listed()).toHaveLength(3);
    await state.json('clone', ID);
    expect(await listed()).toHaveLength(4);
    expect(listOrphans()).toEqual([]);
    expect(othersThanSessions()).toEqual([]);
  });

  it('under a name of its own, after its entry was written, is a session', LONG, async () => {
    const output = join(state.sessions, 'copy.jsonl');
    const args = ['clone', ID, '--json', '-o', output];
    const other = makeStateFolder();
    other.add(createSessionWithTurns(3, 1), { entry: { totalTokens: 90_000 } });
    const options = { env: { HOME: other.home }, cwd: other.home };
    const elsewhere = ['clone', ID, '--json', '-o', join(other.sessions, 'copy.jsonl')];
    const made = await listDiskCalls(elsewhere, { under: other.sessions }, options);
    const at = made.calls.findIndex((call) => /^unlink .*\.cloning$/.test(call)) + 1;
    expect(at, made.calls.join('\n')).toBeGreaterThan(0);
    const killed = await runOccWithFault(
      args,
      { at, strike: 'kill-before', under: state.sessions },
      {
        env: { HOME: state.home },
        cwd: state.home,
      },
    );
    expect(killed.code).toBeNull();
    await state.json('clone', ID);
    expect(existsSync(output)).toBe(true);
    expect(await listed()).toContain('copy.jsonl');
  });

  it('named by its path is no session', LONG, async () => {
    await kill();
    const { code } = await state.refused('info', join(state.sessions, listOrphans()[0]!));
    expect(code).toBe('SESSION_NOT_FOUND');
  });
});

describe('of a Claude Code session with saved files', () => {
  let home: string;
  let project: string;
  let histories: string;
  beforeEach(() => {
    home = makeTempFolder();
    project = join(home, '.claude/projects/-work');
    histories = join(home, '.claude/file-history');
    mkdirSync(project, { recursive: true });
    mkdirSync(join(histories, ID), { recursive: true });
    for (const version of ['v1', 'v2'])
      writeFileSync(join(histories, ID, `0123456789abcdef@${version}`), version);
    const line = { type: 'user', message: { role: 'user', content: 'hello' }, uuid: 'u1', parentUuid: null };
    writeFileSync(join(project, `${ID}.jsonl`), `${JSON.stringify({ ...line, sessionId: ID })}\n`);
  });

  const kill = (strike: 'kill-before' | 'kill-after') =>
    killAt(
      { args: ['clone', ID, '--source', 'claude', '--json'], under: join(home, '.claude'), home },
      NEW_TRANSCRIPT,
      strike,
    );
  const idsIn = (folder: string) =>
    readdirSync(folder)
      .map((name) => basename(name, '.jsonl'))
      .sort();
  const edit = () => {
    const args = ['edit', ID, '--strip-tools', '--force', '--source', 'claude', '--json'];
    return runOcc(args, { env: { HOME: home }, cwd: home });
  };

  it('before the transcript had its name: the files go', LONG, async () => {
    await kill('kill-before');
    expect(readdirSync(histories)).toHaveLength(3);
    expect((await edit()).code).toBe(0);
    const sessions = idsIn(project).filter((id) => /^[0-9a-f-]{36}$/.test(id));
    expect(sessions).toHaveLength(2);
    expect(readdirSync(histories).sort()).toEqual(sessions);
    expect(readdirSync(join(histories, ID))).toHaveLength(2);
    expect(readdirSync(project).filter((name) => name.endsWith('.cloning'))).toEqual([]);
  });

  it('a file that is not of the clone stays', LONG, async () => {
    await kill('kill-before');
    const orphan = readdirSync(histories).find((id) => !existsSync(join(project, `${id}.jsonl`)))!;
    writeFileSync(join(histories, orphan, 'other@v1'), 'not ours');
    expect((await edit()).code).toBe(0);
    expect(readdirSync(join(histories, orphan))).toEqual(['other@v1']);
  });

  it('after that it is a session, and keeps them', async () => {
    await kill('kill-after');
    expect((await edit()).code).toBe(0);
    expect(readdirSync(histories).sort()).toEqual(idsIn(project));
    expect(readdirSync(histories)).toHaveLength(3);
  });
});
