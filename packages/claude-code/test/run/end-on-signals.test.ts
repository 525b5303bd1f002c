import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it('a program that ends on signals ends its run first', async () => {
  const path = join(import.meta.dirname, 'signals-child.ts');
  const child = spawn(process.execPath, ['--conditions=openbot-source', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('ready')) child.kill('SIGTERM');
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
  expect(said).toBe('ready\nover\n');
});
