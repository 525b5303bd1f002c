/** `npm run demo` without its build, which the tests have made. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from './setup/cleaning.ts';

const ROOT = join(import.meta.dirname, '..');

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'openbot-demo-test-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function playDemo(demo: string, temp: string) {
  const { HOME: _home, ...env } = process.env;
  const options = { encoding: 'utf8', env: { ...env, TMPDIR: temp } } as const;
  return spawnSync(process.execPath, [join(demo, 'run.ts')], options);
}

test('the demo shows a conversation, its context, a clean and the undo, and leaves nothing', () => {
  const temp = makeFolder();
  const { stdout, stderr, status } = playDemo(join(ROOT, 'demo'), temp);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout.match(/^\$ .*$/gm)).toEqual([
    '$ openbot agent -m "My trip to Lisbon is in May."',
    '$ openbot agent -m "Which files are there?" --verbose on',
    '$ occ info',
    '$ occ edit --strip-tools --truncate-over 2000',
    '$ occ restore',
  ]);
  expect(stdout).toMatch(/read_file diary\.txt[\s\S]*You told me: "My trip to Lisbon is in May\."/);
  expect(stdout).toContain('diary.txt\npacking-list.txt\n');
  expect(stdout).toMatch(/Context: 15,\d{3} tokens \(recorded\), \d\d% of the window of 20,000/);
  expect(stdout).toMatch(/Recommendation: occ edit \S+ --strip-tools=default --truncate-over 2000\n/);
  expect(stdout).toMatch(/Context: 15,\d{3} → \d{1,3} tokens/);
  expect(stdout).toContain('Checked: the session is byte for byte what it was before the clean.');
  expect(readdirSync(temp)).toEqual([]);
});

test('a step that fails ends the demo, and nothing is left', () => {
  const [temp, root] = [makeFolder(), makeFolder()];
  cpSync(join(ROOT, 'demo'), join(root, 'demo'), { recursive: true });
  mkdirSync(join(root, 'packages/openbot/bin'), { recursive: true });
  writeFileSync(join(root, 'packages/openbot/bin/openbot.js'), 'process.exit(3)');
  const { stderr, status } = playDemo(join(root, 'demo'), temp);
  expect({ stderr, status }).toEqual({
    stderr: 'The demo failed: openbot agent -m "My trip to Lisbon is in May." ended with 3.\n',
    status: 1,
  });
  expect(readdirSync(temp)).toEqual([]);
});
