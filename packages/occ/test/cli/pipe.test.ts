import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanEnvironment, OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

describe('in a pipe', () => {
  let stateDir: string;

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'occ-pipe-'));
    writeSession(stateDir, 'main', 'abc123', createSessionWithTurns(2));
  });
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

  it.each([[['--help']], [['info', 'abc']], [['info', 'bad']], [['list']]])(
    'occ %j prints no escapes',
    async (args) => {
      const { stdout, stderr } = await runOcc(args, { env: { OCC_STATE_DIRECTORY: stateDir } });
      expect(stdout + stderr).not.toContain('\u001b');
      expect(stdout + stderr).not.toBe('');
    },
  );

  it('a reader that goes away is no error', async () => {
    const child = spawn(process.execPath, [OCC_LAUNCHER, 'info', 'abc'], {
      env: cleanEnvironment({ OCC_STATE_DIRECTORY: stateDir }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, Buffer.concat(stderr).toString()]).toEqual([0, '']);
  });
});
