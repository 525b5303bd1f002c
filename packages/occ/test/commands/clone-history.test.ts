/** The saved files of a Claude Code session, which a clone of it gets too. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type OccRun, runOccHere } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
const V1 = '0123456789abcdef@v1';
const V2 = '0123456789abcdef@v2';

let home: string;
let project: string;
let histories: string;
beforeEach(() => {
  home = makeTempFolder();
  project = join(home, '.claude/projects/-work');
  histories = join(home, '.claude/file-history');
  mkdirSync(project, { recursive: true });
  const line = { type: 'user', message: { role: 'user', content: 'hello' }, uuid: 'u1', parentUuid: null };
  writeFileSync(join(project, `${ID}.jsonl`), `${JSON.stringify({ ...line, sessionId: ID })}\n`);
});

function addHistory(): void {
  mkdirSync(join(histories, ID), { recursive: true });
  writeFileSync(join(histories, ID, V1), 'one');
  writeFileSync(join(histories, ID, V2), 'two');
}

const clone = (...flags: string[]): Promise<OccRun> =>
  runOccHere(['clone', ID, '--source', 'claude', '--json', ...flags], { env: { HOME: home }, cwd: home });
const idOf = ({ stdout, stderr }: OccRun): string => {
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { clonedSessionId: string }).clonedSessionId;
};

describe('a clone', () => {
  it('has the files of its source as hard links, and its source keeps them', async () => {
    addHistory();
    const id = idOf(await clone());
    expect(readdirSync(histories).sort()).toEqual([ID, id].sort());
    expect(readdirSync(join(histories, id))).toEqual([V1, V2]);
    expect(readFileSync(join(histories, id, V2), 'utf8')).toBe('two');
    expect(statSync(join(histories, id, V1)).nlink).toBe(2);
    expect(statSync(join(histories, id)).mode & 0o777).toBe(0o700);
  });

  it('of a session without any has none', async () => {
    const id = idOf(await clone());
    expect(existsSync(join(project, `${id}.jsonl`))).toBe(true);
    expect(existsSync(histories)).toBe(false);
  });

  it('leaves links and folders behind, which Claude Code refuses too', async () => {
    addHistory();
    symlinkSync('/etc/hostname', join(histories, ID, 'link'));
    mkdirSync(join(histories, ID, 'folder'));
    const id = idOf(await clone());
    expect(readdirSync(join(histories, id))).toEqual([V1, V2]);
  });

  it('under an id that had files before adds what is missing', async () => {
    addHistory();
    mkdirSync(join(histories, OTHER));
    writeFileSync(join(histories, OTHER, V1), 'its own');
    idOf(await clone('-o', join(project, `${OTHER}.jsonl`)));
    expect(readFileSync(join(histories, OTHER, V1), 'utf8')).toBe('its own');
    expect(readFileSync(join(histories, OTHER, V2), 'utf8')).toBe('two');
    expect(readdirSync(histories).sort()).toEqual([ID, OTHER]);
  });

  it('that is only planned has none', async () => {
    addHistory();
    expect((await clone('--dry-run')).code).toBe(0);
    expect(readdirSync(histories)).toEqual([ID]);
  });

  it('that cannot be written leaves no history', async () => {
    addHistory();
    const target = join(project, `${OTHER}.jsonl`);
    mkdirSync(target);
    expect((await clone('-o', target)).code).not.toBe(0);
    expect(readdirSync(histories)).toEqual([ID]);
  });

  it('sweeps what a killed one left', async () => {
    addHistory();
    const source = join(import.meta.dirname, '../../src/storage/claude/file-history.ts');
    const script = `import { copyFileHistory } from ${JSON.stringify(source)};
      await copyFileHistory({ folder: ${JSON.stringify(histories)}, sourceSessionId: '${ID}', newSessionId: '${OTHER}' });
      process.kill(process.pid, 'SIGKILL');`;
    const words = ['--conditions=openbot-source', '--input-type=module', '-e', script];
    const killed = spawnSync(process.execPath, words, { cwd: import.meta.dirname });
    expect(killed.signal).toBe('SIGKILL');
    expect(readdirSync(histories)).toHaveLength(2);
    expect(existsSync(join(histories, OTHER))).toBe(false);
    const id = idOf(await clone());
    expect(readdirSync(histories).sort()).toEqual([ID, id].sort());
  });
});
