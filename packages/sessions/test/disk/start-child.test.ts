import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWithFewDescriptors } from '../../../../test/setup/without-descriptors.ts';
import { startChild } from '../../src/disk/start-child.ts';

test('a program that cannot be started because descriptors have run out is one rejection, and the process goes on', async () => {
  const program = join(import.meta.dirname, 'children', 'start-without-descriptors.ts');
  expect(await runWithFewDescriptors(program)).toEqual({ code: 0, output: 'EMFILE 7\n' });
});

test.each<[string, string, readonly string[]]>([
  ['ENOENT', '/no/such/program', []],
  ['EACCES', '/dev/null', []],
  // Node throws this one.
  ['E2BIG', '/bin/sh', ['-c', 'x'.repeat(4 * 1024 * 1024)]],
])('a failure to start is a rejection: %s', async (code, program, args) => {
  await expect(startChild(program, args, { stdio: 'pipe' })).rejects.toMatchObject({ code });
});

test('listeners that are added after the start hear all that the child says', async () => {
  const child = await startChild('/bin/sh', ['-c', 'echo word; exit 3'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
  });
  expect(await once(child, 'close')).toEqual([3, null]);
  expect(output).toBe('word\n');
});
