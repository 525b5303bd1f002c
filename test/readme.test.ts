/** The first thing that people copy must work. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test("the README's example runs and does what it says", () => {
  const folder = mkdtempSync(join(tmpdir(), 'openbot-readme-'));
  try {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
    const fixture = join(ROOT, 'fixtures/openclaw-files/2026.7.35/compacted-pristine.jsonl');
    const script = example!
      .replace("'session.jsonl'", JSON.stringify(fixture))
      .replace("'state'", JSON.stringify(folder));
    const printed = execFileSync(
      process.execPath,
      ['--conditions=openbot-source', '--input-type=module-typescript', '--eval', script],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(printed.trim()).toMatch(/^3 9357 recorded [0-9a-f-]{36} true$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('it opens with the two commands that are all the set-up', () => {
  const commands = readFileSync(join(ROOT, 'README.md'), 'utf8').match(/^npm install && npm .*$/gm)!;
  expect(commands.map((line) => line.split('#')[0]!.trim())).toEqual([
    'npm install && npm run demo',
    'npm install && npm test',
  ]);
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toContain('npm install && npm test');
});
