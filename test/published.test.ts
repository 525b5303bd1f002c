/** What npm would publish, unpacked as it would be installed: with its dependencies, without its optional ones. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testOccAlone } from './published/occ-alone.ts';
import { testOpenbotAlone } from './published/openbot-alone.ts';
import { HUNT, sample } from './setup/hunt.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['sessions', 'occ', 'claude-code', 'openbot'];

interface Manifest {
  name: string;
  version: string;
  engines?: Record<string, string>;
  scripts: Record<string, string>;
  repository: { type: string; url: string; directory: string };
  dependencies?: Record<string, string>;
  exports: Record<string, Record<string, string>>;
}
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
const root = readJson(ROOT, 'package.json');
const manifests = FOLDERS.map((folder): Manifest => readJson(ROOT, 'packages', folder, 'package.json'));
const names = new Set(manifests.map(({ name }) => name));
/** Those without types are for bundles of this workspace. */
const publishedExports = ({ exports }: Manifest) =>
  Object.entries(exports).filter(([, targets]) => targets.types !== undefined);
const entries = manifests.flatMap((manifest) =>
  publishedExports(manifest).map(([entry]) => manifest.name + entry.slice(1)),
);

let folder: string;
const inPackage = (name: string, ...path: string[]) => join(folder, 'node_modules', name, ...path);

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'openbot-published-')));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const packing = ['pack', '--workspaces', '--ignore-scripts', '--silent', '--pack-destination', folder];
  execFileSync('npm', packing, { cwd: ROOT });
  const installed = new Set(['@types/node', 'undici-types']);
  for (const { name, version, dependencies = {} } of manifests) {
    execFileSync('tar', ['xf', `${name.replace('@', '').replace('/', '-')}-${version}.tgz`], { cwd: folder });
    mkdirSync(dirname(inPackage(name)), { recursive: true });
    renameSync(join(folder, 'package'), inPackage(name));
    for (const needed of Object.keys(dependencies)) if (!names.has(needed)) installed.add(needed);
  }
  for (const name of installed) {
    mkdirSync(dirname(inPackage(name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), inPackage(name));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the four packages have one version, and ask for it of each other', () => {
  for (const manifest of manifests) {
    expect(manifest.version).toBe(root.version);
    for (const [name, wanted] of Object.entries(manifest.dependencies ?? {})) {
      if (names.has(name)) expect(wanted).toBe(root.version);
    }
  }
});

test('each says which Node it needs and where its source is, and is built before it is packed', () => {
  for (const [index, { engines, repository, scripts }] of manifests.entries()) {
    expect(engines).toEqual({ node: '>=22.19' });
    expect(repository).toEqual({
      type: 'git',
      url: manifests[0]!.repository.url,
      directory: `packages/${FOLDERS[index]}`,
    });
    expect(scripts.prepack).toBe('npm --prefix ../.. run --silent build');
  }
});

test('the lock file knows the dependencies of the manifests', () => {
  const lock = readJson(ROOT, 'package-lock.json').packages;
  const places = ['', ...FOLDERS.map((name) => `packages/${name}`)];
  for (const [index, manifest] of [root, ...manifests].entries()) {
    for (const kind of ['dependencies', 'devDependencies', 'peerDependencies', 'engines']) {
      expect([places[index], kind, lock[places[index]!][kind]]).toEqual([
        places[index],
        kind,
        manifest[kind],
      ]);
    }
  }
});

test('every entry point is a file of the package, and so is all that its README links to', () => {
  for (const manifest of manifests) {
    const { name } = manifest;
    const readme = readFileSync(inPackage(name, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!);
    const paths = [
      ...links.filter((link) => !link.startsWith('https:')),
      ...publishedExports(manifest).flatMap(([, targets]) => Object.values(targets)),
    ];
    const outside = paths.filter((path) => /^\.\.(?:\/|$)/.test(path) || !existsSync(inPackage(name, path)));
    expect([name, outside]).toEqual([name, []]);
  }
});

test('every entry point loads, without the packages that are optional', () => {
  expect(entries).toContain('@openbot/sessions/lines');
  const script = `for (const name of ${JSON.stringify(entries)})
    console.log(import.meta.resolve(name), Object.keys(await import(name)).length);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  const loaded = printed.trimEnd().split('\n');
  expect(loaded).toHaveLength(entries.length);
  for (const line of loaded) expect(line).toMatch(/\/dist\/(?:index|exports\/[a-z-]+)\.js [1-9]/);
});

test.each(
  sample(
    [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ],
    { gate: 1 },
  ),
)(
  'types hold for a strict user that checks libraries too: module %s, resolution %s',
  HUNT,
  (module, resolution) => {
    const lines = entries.map((entry, index) => `export * as entry${index} from '${entry}';`);
    writeFileSync(join(folder, 'use.ts'), lines.join('\n'));
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        ...['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', 'node', '--target', 'es2022'],
        ...['--module', module, '--moduleResolution', resolution, 'use.ts'],
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    expect([status, stdout]).toEqual([0, '']);
  },
);

test.each([
  ['oc-context-cleaner', ['commands', 'result-shapes'], 1_320_000],
  // A family of commands has a bundle of its own, because many are started often, and so has what only some models need.
  ['openbot', ['talk', 'cc', 'gateway-run', 'talk-result-shapes'], 9_700_000],
])('the bundles of %s share their code', (name, some, limit) => {
  // By their imports: a folder that was built before may hold former bundles too.
  const texts = new Map<string, string>();
  const follow = (bundle: string) => {
    if (texts.has(bundle)) return;
    const text = readFileSync(inPackage(name, 'dist/bin', `${bundle}.cjs`), 'utf8');
    texts.set(bundle, text);
    for (const [, imported] of text.matchAll(/\bloadBundle\("([a-z-]+)"/g)) follow(imported!);
  };
  follow('start');
  expect([...texts.keys()]).toEqual(expect.arrayContaining(some));
  expect([...texts.values()].join('').length).toBeLessThan(limit);
});

describe('oc-context-cleaner alone', () => testOccAlone(() => inPackage('oc-context-cleaner')));
describe('openbot alone', () => testOpenbotAlone(() => inPackage('openbot')));
