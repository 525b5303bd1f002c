/** Test files share processes and have a short and a long form: what all of them must keep to. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const files = globSync(['packages/*/test/**/*.ts', 'test/**/*.ts'], { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));
const isTest = ({ path }: { path: string }) => path.endsWith('.test.ts');
const pathsOf = (found: readonly { path: string }[]) => found.map(({ path }) => path);

test('a helper has no hooks of its own: they would belong to the first file that imports it', () => {
  const hooked = files.filter((file) => !isTest(file) && /^(?:before|after)(?:Each|All)\(/m.test(file.text));
  expect(pathsOf(hooked)).toEqual(['test/setup/clean-environment.ts']);
});

test('a helper makes nothing when it is imported: it would be removed after the first file that does', () => {
  const makesAtImport = /^(?:export )?const [^\n]*= (?:await )?(?:make|mkdtemp)\w*\(/m;
  const making = files.filter((file) => !isTest(file) && makesAtImport.test(file.text));
  expect(pathsOf(making)).toEqual(['test/setup/clean-environment.ts']);
});

test('a process that others share keeps its folder and its modules', () => {
  const users = files.filter(({ text }) => /\bprocess\.chdir\(|\bvi\.(?:do)?[mM]ock\(/.test(text));
  expect(pathsOf(users).sort()).toEqual([
    // Goes back in the same test.
    'packages/occ/test/library/sessions.test.ts',
    'test/setup/clean-environment.ts',
  ]);
});

test('what takes its counts from hunt.ts is run by npm run torture', () => {
  const hunts = files.filter((file) => isTest(file) && /^import .*\/setup\/hunt\.ts';$/m.test(file.text));
  expect(hunts.length).toBeGreaterThan(30);
  expect(pathsOf(hunts.filter(({ text }) => !/\b(?:HUNT|LONG),/.test(text)))).toEqual([]);
});

test('no test has a switch of its own', () => {
  const switches = files.filter(({ text }) => /process\.env\.\w+_(?:RUNS|SEED|SCALE)/.test(text));
  expect(pathsOf(switches)).toEqual([]);
});
