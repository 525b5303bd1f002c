/** What `npm run versions` says: which ranges exclude a version, and what the registry that npm is set to answers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import semver from 'semver';
import { describe, expect, test } from 'vitest';
import { askNewest } from '../interop/ask-registry.ts';
import { compare, describeTested, listVersions } from '../interop/list-versions.ts';
import { startLoopbackServer } from './imitations/loopback-server.ts';
import { afterTest } from './setup/cleaning.ts';

describe('the newest version', () => {
  test.each([
    ['2.0.0', '^1.2.0', false],
    ['1.9.9', '^1.2.0', true],
    ['0.88.0', '>=0.87.1 <0.88 || >=1.5.2 <2', false],
    ['1.0.3', '>=0.87.1 <0.88 || >=1.5.2 <2', false],
    ['1.5.2', '>=0.87.1 <0.88 || >=1.5.2 <2', true],
    ['0.3.0', '^0.2.4', false],
    ['1.10.0', '>=0.93.0', true],
    ['2.0.0-beta.1', '>=1', false],
    ['26.10.0', '>=22.19', true],
  ])('%s is in %s: %s', (newest, range, isAllowed) => {
    const one = { of: 'packages/a peer', range };
    const compared = compare({ name: 'x', kind: 'library', tested: ['1.0.0'], ranges: [one] }, newest);
    expect(compared.excludedBy).toEqual(isAllowed ? [] : [one]);
    expect(compared.isTested).toBe(false);
  });

  test('was tested where it is among the tested ones, and a package that is nowhere excludes nothing', () => {
    const listed = { name: 'x', kind: 'library', tested: ['1.0.0', '2.0.0'], ranges: [] } as const;
    expect(compare(listed, '2.0.0').isTested).toBe(true);
    expect(compare({ ...listed, ranges: [{ of: 'a', range: '^9' }] }, undefined)).toMatchObject({
      isTested: false,
      excludedBy: [],
    });
  });
});

test('a version that was tested with stand-ins for packages that it needs is marked', () => {
  const listed = listVersions(join(import.meta.dirname, '..'));
  const pi = listed.filter(({ name }) => /^@earendil-works\/pi-(?:agent-core|ai|coding-agent)$/.test(name));
  expect(pi.map(describeTested)).toEqual(pi.map(() => '0.87.1, 1.5.2 (with stand-ins)'));
  expect(pi).toHaveLength(3);
  const marked = listed.filter((one) => describeTested(one).includes('stand-ins'));
  expect(marked).toEqual(pi);
  expect(describeTested({ name: 'x', kind: 'program', tested: [], ranges: [] })).toBe('–');
});

test('every range of a library has an end, so that a version beyond it is seen', () => {
  const libraries = listVersions(join(import.meta.dirname, '..')).filter(({ kind }) => kind === 'library');
  const endless = libraries.flatMap(({ name, ranges }) =>
    ranges.filter(({ range }) => semver.satisfies('999.0.0', range)).map(({ of }) => `${of}: ${name}`),
  );
  expect(libraries.length).toBeGreaterThan(10);
  expect(endless).toEqual([]);
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'versions-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('libraries and tools are those of the manifests, in the versions of the lock file', () => {
  const root = makeFolder();
  const write = (path: string, value: object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(value));
  };
  write('package.json', {
    workspaces: ['packages/a', 'packages/b'],
    devDependencies: { tool: '3.0.0', lib: '1.2.3' },
  });
  write('packages/a/package.json', { name: 'a', dependencies: { lib: '^1.0.0' }, engines: { node: '>=22' } });
  write('packages/b/package.json', {
    name: 'b',
    dependencies: { a: '0.1.0' },
    peerDependencies: { lib: '>=1 <3' },
  });
  write('package-lock.json', {
    packages: { 'node_modules/lib': { version: '1.2.3' }, 'node_modules/tool': { version: '3.0.0' } },
  });
  const listed = listVersions(root);
  expect(listed.map(({ name }) => name)).not.toContain('a');
  expect(listed.find(({ name }) => name === 'lib')).toEqual({
    name: 'lib',
    kind: 'library',
    tested: ['1.2.3'],
    ranges: [
      { of: 'packages/a', range: '^1.0.0' },
      { of: 'packages/b peer', range: '>=1 <3' },
    ],
  });
  expect(listed.find(({ name }) => name === 'tool')).toMatchObject({
    kind: 'tool',
    tested: ['3.0.0'],
    ranges: [],
  });
  expect(listed.find(({ name }) => name === 'node')).toMatchObject({
    kind: 'program',
    ranges: [{ of: 'packages/a engines', range: '>=22' }],
  });
});

/** npm of a person whose registry is on loopback. */
async function openRegistry(packages: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
  const registry = await startLoopbackServer({
    async answer({ path }, response) {
      const name = decodeURIComponent(path.slice(1));
      const newest = packages[name];
      const versions = { '1.0.0': { name, version: '1.0.0' }, [newest ?? '']: { name, version: newest } };
      response.writeHead(newest === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(newest === undefined ? {} : { name, 'dist-tags': { latest: newest }, versions }),
      );
    },
    refuse: (response, message) => void response.writeHead(500).end(message),
  });
  afterTest(() => registry.close());
  return npmOf(`${registry.url}/`);
}

function npmOf(registry: string): NodeJS.ProcessEnv {
  const folder = makeFolder();
  return {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_registry: registry,
    npm_config_cache: join(folder, 'cache'),
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_fetch_retries: '0',
  };
}

test('the registry of npm is asked, and what it does not have is nothing', async () => {
  const env = await openRegistry({ lib: '2.0.0', '@x/tool': '3.1.0' });
  expect(await askNewest(['lib', '@x/tool', 'none'], env)).toEqual(
    new Map([
      ['lib', '2.0.0'],
      ['@x/tool', '3.1.0'],
      ['none', undefined],
    ]),
  );
});

test('a registry that does not answer is an error that names the package', async () => {
  const registry = await startLoopbackServer({ answer: async () => {}, refuse: () => {} });
  await registry.close();
  await expect(askNewest(['lib'], npmOf(`${registry.url}/`))).rejects.toThrow(
    /npm cannot say the newest version of lib: /,
  );
});
