import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it.each([
  ['by signal', [null, 'SIGTERM']],
  ['by exit code', [143, null]],
] as const)('a program that ends on signals %s ends its run first', async (how, exit) => {
  const path = join(import.meta.dirname, 'signals-child.ts');
  const child = spawn(process.execPath, ['--conditions=openbot-source', path, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('ready')) child.kill('SIGTERM');
  });
  expect(await once(child, 'close')).toEqual(exit);
  expect(said).toBe('ready\nover\n');
});
