import { spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanEnvironment, OCC_LAUNCHER } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(makeTempFolder());
  writeSession(join(folder, 'state'), 'main', 'abc123', createSessionWithTurns(2));
});

/** In a folder that is deleted before occ starts. @param env `env -u PWD` takes its name away too */
function runInDeletedFolder(args: readonly string[], env: readonly string[] = []) {
  const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"';
  const words = ['-c', script, 'bash', join(folder, 'gone'), ...env, process.execPath, OCC_LAUNCHER, ...args];
  const { status, stdout, stderr } = spawnSync('bash', words, {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: join(folder, 'state') }),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('in a folder that was deleted', () => {
  it.each([[['--help']], [['--version']], [['list']], [['info', 'abc123']]])('occ %j works', (args) => {
    expect(runInDeletedFolder(args)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/\w/),
    });
  });

  it('the configuration of the folders above counts', () => {
    writeFileSync(join(folder, '.occrc'), 'outputFormat=json');
    writeFileSync(join(folder, 'package.json'), '{"occ":{"outputFormat":"json"}}');
    expect(JSON.parse(runInDeletedFolder(['list']).stdout)).toHaveLength(1);
  });

  it('a path from there leads nowhere, by its name', () => {
    const { status, stderr } = runInDeletedFolder(['clone', 'abc123', '-o', 'x.jsonl']);
    expect(status).toBe(1);
    expect(stderr).toContain(`there is no folder ${join(folder, 'gone')}\n`);
  });

  it('whose path is unknown, only commands that need none work', () => {
    const nameless = ['env', '-u', 'PWD'];
    expect(runInDeletedFolder(['--help'], nameless)).toMatchObject({ status: 0, stderr: '' });
    expect(runInDeletedFolder(['list', '--json'], nameless)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/"code":"USAGE","message":"The working folder no longer exists"/),
    });
  });
});
