/** What is built is what people get: it must load, and belong together. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['sessions', 'occ', 'claude-code', 'openbot'];

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  exports: Record<string, unknown>;
}
const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
const manifests = FOLDERS.map((folder) => readManifest(`packages/${folder}`));

test('the four packages have one version, and ask for it of each other', () => {
  const { version } = readManifest('.');
  const names = new Set(manifests.map(({ name }) => name));
  for (const manifest of manifests) {
    expect(manifest.version).toBe(version);
    for (const [name, wanted] of Object.entries(manifest.dependencies ?? {})) {
      if (names.has(name)) expect(wanted).toBe(version);
    }
  }
});

test('the build of every package loads without its sources', () => {
  const entries = manifests.flatMap(({ name, exports }) =>
    Object.keys(exports).map((entry) => name + entry.slice(1)),
  );
  expect(entries).toContain('@openbot/sessions/lines');
  const script = `for (const name of ${JSON.stringify(entries)})
    console.log(import.meta.resolve(name), Object.keys(await import(name)).length);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const loaded = printed.trimEnd().split('\n');
  expect(loaded).toHaveLength(entries.length);
  for (const line of loaded) expect(line).toMatch(/\/dist\/(?:index|exports\/[a-z-]+)\.js [1-9]/);
});
