import { execFileSync } from 'node:child_process';
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeGrep } from '../../src/tools/grep.ts';
import { openRunTools } from '../../src/tools/run-tools.ts';
import { ToolBench } from './tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench(makeGrep());
});

it('shows path, line and text of what matches, in order', async () => {
  bench.write('b.txt', 'one\r\ntwo\r\nnone\r\n');
  bench.write('a/deep/c.md', 'One\n');
  await expect(bench.run({ pattern: 'one$' })).resolves.toEqual({
    text: 'b.txt:1: one\nb.txt:3: none',
    isError: false,
  });
  await expect(bench.run({ pattern: '^one', ignoreCase: true })).resolves.toMatchObject({
    text: 'a/deep/c.md:1: One\nb.txt:1: one',
  });
  await expect(bench.run({ pattern: 'One', path: './a/' })).resolves.toMatchObject({
    text: 'a/deep/c.md:1: One',
  });
  await expect(bench.run({ pattern: 'two', path: 'b.txt' })).resolves.toMatchObject({
    text: 'b.txt:2: two',
  });
  await expect(bench.run({ pattern: 'none of these' })).resolves.toMatchObject({ text: '(no matches)' });
});

it('leaves out binary files, links, pipes, .git and node_modules', async () => {
  for (const path of ['.git/x', 'node_modules/m/x', 'sub/node_modules/x', 'sub/.hidden'])
    bench.write(path, 'needle\n');
  bench.write('binary', Buffer.from('needle\0'));
  execFileSync('mkfifo', [bench.inside('pipe')]);
  symlinkSync(join(bench.workspaceDir, 'sub/.hidden'), bench.inside('link'));
  await expect(bench.run({ pattern: 'needle' })).resolves.toMatchObject({ text: 'sub/.hidden:1: needle' });
  await expect(bench.run({ pattern: 'needle', path: 'pipe' })).resolves.toMatchObject({
    text: 'pipe is not a regular file.',
  });
});

it('ends an expression that takes exponential time, and the process goes on meanwhile', async () => {
  bench = new ToolBench(makeGrep({ stallMs: 300 }));
  bench.write('evil.txt', `${'a'.repeat(60)}b\n`);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  const { text, isError } = await bench.run({ pattern: '^(a+)+$' });
  clearInterval(ticking);
  expect({ text, isError }).toEqual({
    text: expect.stringContaining('The expression takes too long on evil.txt'),
    isError: true,
  });
  expect(ticks).toBeGreaterThan(0);
});

it('ends such an expression when the run is aborted', async () => {
  bench = new ToolBench(makeGrep({ stallMs: 600_000 }));
  bench.write('evil.txt', `${'a'.repeat(60)}b\n`);
  const aborting = new AbortController();
  const running = bench.run({ pattern: '^(a+)+$' }, aborting.signal);
  setTimeout(() => aborting.abort(), 50);
  await expect(running).resolves.toMatchObject({ isError: true });
});

it('shows 200 lines, the part of a long line that matches, and says what is left out', async () => {
  bench.write('many.txt', 'x\n'.repeat(1000));
  const many = (await bench.run({ pattern: 'x' })).text.split('\n');
  expect(many).toHaveLength(201);
  expect(many.at(-1)).toContain('200 lines were found');
  bench.write('long.txt', `${'😀'.repeat(5000)}needle${'y'.repeat(5000)}\n`);
  const { text } = await bench.run({ pattern: 'needle', path: 'long.txt' });
  expect(text).toMatch(/^long\.txt:1: ….*needley+…$/);
  expect(text.length).toBeLessThan(450);
  expect(text.isWellFormed()).toBe(true);
  bench.write('large.txt', Buffer.alloc(10 * 1024 * 1024 + 1, 0x7a));
  await expect(bench.run({ pattern: 'zz' })).resolves.toMatchObject({
    text: '(no matches)\n[1 file was left out: larger than 10 MB.]',
  });
});

it('explains an expression that is none', async () => {
  await expect(bench.run({ pattern: '(' })).resolves.toEqual({
    text: expect.stringContaining('Invalid regular expression'),
    isError: true,
  });
});

it('finds the real path of what rules name once in a search, and of its files not at all', async () => {
  bench.write('sub/a.txt', 'one\n');
  bench.write('sub/b.txt', 'one\n');
  symlinkSync('sub', bench.inside('link'));
  const asked: [path: string, real: string | undefined, known: string | undefined][] = [];
  const { workspaceDir } = bench;
  const tools = openRunTools([makeGrep()], {
    workspaceDir,
    findReadDenial: (path, realPaths) => {
      asked.push([path, realPaths?.get(path), realPaths?.get('known')]);
      realPaths?.set('known', String(asked.length));
      return undefined;
    },
  });
  const call = { id: 'call-1', name: 'grep', arguments: { pattern: 'one', path: 'link' } };
  await tools.run(call, new AbortController().signal);
  const real = (name: string) => join(realpathSync(workspaceDir), 'sub', name);
  expect(asked).toEqual([
    [bench.inside('link/a.txt'), real('a.txt'), undefined],
    [real('a.txt'), real('a.txt'), '1'],
    [bench.inside('link/b.txt'), real('b.txt'), '2'],
    [real('b.txt'), real('b.txt'), '3'],
  ]);
});
