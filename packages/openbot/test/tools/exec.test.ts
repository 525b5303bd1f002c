import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExecSettings } from '../../src/config/bot-config.ts';
import { makeExec } from '../../src/tools/exec/exec.ts';
import { lives, waitFor } from '../setup/command-bench.ts';
import { ToolBench } from './tool-bench.ts';

const ENV = {
  PATH: process.env.PATH,
  HOME: '/nowhere',
  LC_ALL: 'C',
  SECRET_KEY: 'sk-secret',
  MORE: 'yes',
  line: 'a line',
};
const open = (settings: ExecSettings = {}) => new ToolBench(makeExec(settings, ENV));
const run = (command: string, settings?: ExecSettings) => open(settings).run({ command });
const pidIn = (path: string) =>
  waitFor(
    () => `a pid in ${path}`,
    () => (existsSync(path) && Number(readFileSync(path, 'utf8'))) || undefined,
  );
const gone = (pid: number) =>
  waitFor(
    () => `the end of ${pid}`,
    () => !lives(pid) || undefined,
  );

describe('exec', () => {
  it('shows output, errors and the exit code', async () => {
    await expect(run('echo out; echo err >&2; exit 7')).resolves.toEqual({
      text: expect.stringMatching(/^(?:out\nerr|err\nout)\n\(Command exited with code 7\)$/),
      isError: false,
    });
    await expect(run('true')).resolves.toMatchObject({ text: '(no output)\n(Command exited with code 0)' });
    await expect(run('kill -9 $$')).resolves.toMatchObject({
      text: expect.stringContaining('ended by SIGKILL'),
    });
  });

  it('gives a command no input, and only the variables of the list', async () => {
    await expect(run('cat; echo end')).resolves.toMatchObject({ text: expect.stringMatching(/^end\n/) });
    const { text } = await run('env', { passEnv: ['MORE'] });
    const names = text.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    // PWD, SHLVL and _ are of the shell itself.
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).sort()).toEqual([
      'HOME',
      'LC_ALL',
      'MORE',
      'PATH',
      'TERM',
    ]);
    expect(text).not.toContain('sk-secret');
  });

  it('leaves a variable of each name as it is', async () => {
    const { text } = await run('echo "<$line>"', { passEnv: ['line'] });
    expect(text).toMatch(/^<a line>\n/);
  });

  it('works in the workspace or a folder of it, and in no other', async () => {
    const bench = open();
    mkdirSync(bench.inside('sub'));
    mkdirSync(join(bench.folder, 'outside'));
    symlinkSync(join(bench.folder, 'outside'), bench.inside('link'));
    await expect(bench.run({ command: 'pwd -P' })).resolves.toMatchObject({
      text: expect.stringMatching(/\/workspace\n/),
    });
    await expect(bench.run({ command: 'pwd -P', workdir: 'sub' })).resolves.toMatchObject({
      text: expect.stringMatching(/\/workspace\/sub\n/),
    });
    for (const workdir of ['..', '/', 'link', 'sub/../..', 'none'])
      await expect(bench.run({ command: 'touch here', workdir })).resolves.toMatchObject({ isError: true });
    expect(existsSync(join(bench.folder, 'outside/here'))).toBe(false);
  });

  it('keeps the beginning and the end of a flood', async () => {
    const { text } = await run('echo first; yes | head -c 50000000; echo; echo last');
    expect(text).toMatch(/^first\ny\n/);
    expect(text).toMatch(/\[… 499\d+ bytes are not shown …\]/);
    expect(text).toMatch(/\nlast\n\(Command exited with code 0\)$/);
    expect(text.length).toBeLessThan(41_000);
  });

  it('ends a command that takes too long with all its processes', async () => {
    const bench = open({ timeoutSec: 1 });
    const command = 'sleep 1000 & echo $! > child; trap "" TERM; echo started; while :; do sleep 1000; done';
    const { text, isError } = await bench.run({ command, timeout: 600 });
    expect({ text, isError }).toEqual({
      text: 'started\n(The command took longer than 1 s and was ended.)',
      isError: true,
    });
    await gone(await pidIn(bench.inside('child')));
  });

  it('ends a command when the run is aborted', async () => {
    const bench = open();
    const aborting = new AbortController();
    const running = bench.run({ command: 'echo $$ > pid; echo begun; tail -f /dev/null' }, aborting.signal);
    const pid = await pidIn(bench.inside('pid'));
    aborting.abort();
    await expect(running).resolves.toEqual({
      text: 'begun\n(The run was aborted, and the command was ended.)',
      isError: true,
    });
    expect(lives(pid)).toBe(false);
  });

  it('ends what a command leaves in the background', async () => {
    const bench = open();
    const { text } = await bench.run({
      command: '(echo in; exec tail -f /dev/null) & echo $! > pid; echo out',
    });
    expect(text).toContain(
      '(Command exited with code 0)\n(It left processes running in the background. They were ended.)',
    );
    await gone(await pidIn(bench.inside('pid')));
  });

  it('does not wait for a process that left its group and holds the output open', async () => {
    const bench = open();
    const { text } = await bench.run({
      command:
        'setsid sh -c "echo \\$\\$ > pid; exec tail -f /dev/null" & echo out; while [ ! -s pid ]; do :; done',
    });
    expect(text).toContain('out\n(Command exited with code 0)');
    const pid = await pidIn(bench.inside('pid'));
    if (lives(pid)) process.kill(pid, 'SIGKILL');
  });

  it('is given back as an error when it cannot be started', async () => {
    await expect(run(`echo ${'x'.repeat(5_000_000)}`)).resolves.toMatchObject({ isError: true });
  });
});
