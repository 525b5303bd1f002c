/** Each rule on a small workspace in memory: silent on a good one, and with a clear line on each violation. */
import { describe, expect, it } from 'vitest';
import { checkDoors } from './door-rules.ts';
import { checkCycles, checkTargetsExist } from './graph.ts';
import { checkDeclaredEdges, checkOutsideDependencies, checkPackageDirection } from './package-rules.ts';
import { checkPurity, checkReadOnly } from './purity.ts';
import { checkExportStars, checkFileLengths, checkNames, checkRoomDirection } from './room-rules.ts';
import { ROOMS } from './table.ts';
import { parseWorkspace, type Workspace } from './workspace.ts';

const EDGES = { base: [], tool: ['base'] };

const GOOD = {
  'packages/base/package.json': '{"name":"@x/base","exports":{".":"./i.js","./extra":"./e.js"}}',
  'packages/base/tsconfig.json': '{"references":[]}',
  'packages/base/src/index.ts': `export { a } from './a.ts';`,
  'packages/base/src/a.ts': 'export const a = 1;',
  'packages/tool/package.json': '{"name":"tool","dependencies":{"@x/base":"1"}}',
  'packages/tool/tsconfig.json': '{"references":[{"path":"../base"}]}',
  'packages/tool/src/index.ts': `import { a } from '@x/base';\nimport '@x/base/extra';\nimport { join } from 'node:path';`,
};

function workspaceOf(files: Record<string, string>, base: Record<string, string> = GOOD): Workspace {
  return parseWorkspace(new Map(Object.entries({ ...base, ...files })));
}

function sessionsOf(files: Record<string, string>): Workspace {
  const placed = Object.entries(files).map(
    ([path, text]) => [`packages/sessions/src/${path}`, text] as const,
  );
  return workspaceOf(Object.fromEntries(placed), { 'packages/sessions/package.json': '{"name":"s"}' });
}

it('the good workspace breaks no rule', () => {
  const good = workspaceOf({});
  expect(checkPackageDirection(good, EDGES)).toEqual([]);
  expect(checkDeclaredEdges(good, EDGES)).toEqual([]);
  expect(checkOutsideDependencies(good)).toEqual([]);
  expect(checkTargetsExist(good)).toEqual([]);
  expect(checkCycles(good)).toEqual([]);
  expect(checkExportStars(good)).toEqual([]);
  expect(checkNames(good)).toEqual([]);
  expect(checkFileLengths(good)).toEqual([]);
});

describe('direction between packages', () => {
  const check = (text: string, path = 'packages/base/src/a.ts') =>
    checkPackageDirection(workspaceOf({ [path]: text }), EDGES);

  it.each([
    `import 'tool';`,
    `import type { T } from 'tool';`,
    `export { t } from 'tool';`,
    `await import('tool');`,
  ])('the lower package may not take the upper one: %s', (text) =>
    expect(check(text)).toEqual(['packages/base/src/a.ts:1: base may not import tool']),
  );

  it('a relative path may not leave src', () => {
    expect(check(`import '../../tool/src/index.ts';`)[0]).toMatch(/leaves packages\/base\/src/);
    expect(check(`import '../package.json';`)[0]).toMatch(/leaves packages\/base\/src/);
    expect(check(`import '/etc/x.ts';`)[0]).toMatch(/leaves packages\/base\/src/);
  });

  it('a package does not import itself by name', () => {
    expect(check(`import '@x/base';`)[0]).toMatch(/imports itself/);
  });

  it('only what is exported can be imported', () => {
    const [line] = check(`import '@x/base/src/a.ts';`, 'packages/tool/src/b.ts');
    expect(line).toBe('packages/tool/src/b.ts:1: @x/base/src/a.ts is not among the exports of @x/base');
  });
});

describe('declared edges', () => {
  const check = (files: Record<string, string>) => checkDeclaredEdges(workspaceOf(files), EDGES);

  it('a missing dependency or reference is found', () => {
    expect(check({ 'packages/tool/package.json': '{"name":"tool"}' })).toEqual([
      'packages/tool/package.json dependencies: base is missing',
    ]);
    expect(check({ 'packages/tool/tsconfig.json': '{}' })).toEqual([
      'packages/tool/tsconfig.json references: base is missing',
    ]);
  });

  it('a dependency or reference that the table does not allow is found', () => {
    expect(check({ 'packages/base/package.json': '{"name":"@x/base","dependencies":{"tool":"1"}}' })).toEqual(
      ['packages/base/package.json dependencies: tool is not allowed'],
    );
    expect(check({ 'packages/base/tsconfig.json': '{"references":[{"path":"../tool"}]}' })).toEqual([
      'packages/base/tsconfig.json references: tool is not allowed',
    ]);
  });

  it('the table and the folders agree', () => {
    expect(check({ 'packages/new/package.json': '{"name":"new"}' })).toEqual([
      'packages/new is not in the table of packages',
    ]);
    expect(checkDeclaredEdges(workspaceOf({}), { ...EDGES, gone: [] })).toEqual([
      'packages/gone is in the table but has no package.json',
    ]);
  });
});

describe('packages from outside', () => {
  it('an undeclared one is found, also as a type and with a path inside', () => {
    const check = (text: string) => checkOutsideDependencies(workspaceOf({ 'packages/base/src/a.ts': text }));
    const expected = 'is not declared in packages/base/package.json';
    expect(check(`import type { Z } from 'zod';`)).toEqual([`packages/base/src/a.ts:1: zod ${expected}`]);
    expect(check(`import '@scope/name/deep.js';`)).toEqual([
      `packages/base/src/a.ts:1: @scope/name ${expected}`,
    ]);
  });

  it('an unused one is found', () => {
    const files = { 'packages/base/package.json': '{"name":"@x/base","dependencies":{"zod":"4"}}' };
    expect(checkOutsideDependencies(workspaceOf(files))).toEqual([
      'packages/base/package.json declares zod, which no source imports',
    ]);
  });

  it('a peer that is not handed on to users, or in another range, is found', () => {
    const check = (peers: string) =>
      checkOutsideDependencies(
        workspaceOf({
          'packages/base/package.json': '{"name":"@x/base","peerDependencies":{"zod":"^4"}}',
          'packages/base/src/a.ts': `import 'zod';`,
          'packages/tool/package.json': `{"name":"tool","dependencies":{"@x/base":"1"},"peerDependencies":${peers}}`,
        }),
      );
    expect(check('{"zod":"^4"}')).toEqual([]);
    const expected = ['packages/tool/package.json lacks the peer zod ^4'];
    expect([check('{}'), check('{"zod":"^5"}')]).toEqual([expected, expected]);
  });
});

describe('targets and cycles', () => {
  it('an import of a file that is not there is found', () => {
    const files = { 'packages/base/src/a.ts': `import './gone.ts';` };
    expect(checkTargetsExist(workspaceOf(files))[0]).toMatch(/a.ts:1: .\/gone.ts names no source file/);
  });

  it('a cycle is found, between types too, and named from file to file', () => {
    const files = {
      'packages/base/src/a.ts': `import type { B } from './b.ts';`,
      'packages/base/src/b.ts': `export type B = 1; const lazy = () => import('./a.ts');`,
    };
    expect(checkCycles(workspaceOf(files))).toEqual(['cycle: base/a.ts -> base/b.ts -> base/a.ts']);
  });

  it('a file that imports itself, and a cycle over packages, are cycles', () => {
    expect(checkCycles(workspaceOf({ 'packages/base/src/a.ts': `import './a.ts';` }))).toHaveLength(1);
    expect(checkCycles(workspaceOf({ 'packages/base/src/a.ts': `import 'tool';` }))).toEqual([
      'cycle: base/index.ts -> base/a.ts -> tool/index.ts -> base/index.ts',
    ]);
  });

  it('two ways to one file are no cycle', () => {
    const files = {
      'packages/base/src/index.ts': `import './a.ts'; import './b.ts';`,
      'packages/base/src/b.ts': `import './a.ts';`,
    };
    expect(checkCycles(workspaceOf(files))).toEqual([]);
  });
});

describe('rooms', () => {
  const check = (files: Record<string, string>) => checkRoomDirection(sessionsOf(files), ROOMS);

  it('upwards is allowed', () => {
    expect(
      check({
        'errors.ts': '',
        'key/build.ts': `import '../errors.ts';`,
        'store/file.ts': `import '../key/build.ts'; import './cache.ts';`,
        'store/cache.ts': '',
        'index.ts': `export { x } from './store/file.ts';`,
      }),
    ).toEqual([]);
  });

  it.each([
    ['key', 'store'],
    ['policy', 'transcript'],
    ['transcript', 'policy'],
    ['transcript', 'transcript-file'],
    ['disk', 'layout'],
    ['store', 'lifecycle'],
    ['lifecycle', 'index'],
  ])('%s may not import %s, not even a type', (room, target) => {
    const to = target === 'index' ? '../index.ts' : `../${target}/x.ts`;
    expect(check({ [`${room}/a.ts`]: `import type { X } from '${to}';` })).toEqual([
      `packages/sessions/src/${room}/a.ts:1: ${room} may not import ${target}`,
    ]);
  });

  it('an unknown room is a failure that says what to do', () => {
    expect(check({ 'attic/a.ts': '' })).toEqual([
      'packages/sessions/src/attic/a.ts: room "attic" is not in the table; give it a place in test/architecture/table.ts',
    ]);
  });
});

describe('doors', () => {
  const check = (files: Record<string, string>, doors: Record<string, string[]>) =>
    checkDoors(sessionsOf(files), { sessions: doors });

  it('a door is open to every room, a nested room may import the rooms around it', () => {
    const files = {
      'errors.ts': '',
      'key/build.ts': `import '../errors.ts';`,
      'store/contract.ts': `import './file/open.ts';`,
      'store/file/open.ts': `import '../../key/build.ts'; import '../draft.ts';`,
      'store/draft.ts': '',
    };
    expect(check(files, { key: ['build'], 'store/file': ['open'] })).toEqual([]);
  });

  it('another file is not, not even for a type, and the line to change is printed', () => {
    const files = {
      'key/build.ts': `import './text.ts';`,
      'key/text.ts': '',
      'store/a.ts': `import '../key/build.ts';\nimport type { Text } from '../key/text.ts';`,
    };
    expect(check(files, { key: ['build'] })).toEqual([
      "packages/sessions/src/store/a.ts:2: key/text.ts is no door of key (build); import a door, or add 'text' to 'key' of sessions in test/architecture/doors.ts",
    ]);
  });

  it('a room around another has to use its doors too', () => {
    const files = { 'store/a.ts': `import './file/open.ts';`, 'store/file/open.ts': '' };
    expect(check(files, {})[0]).toMatch(/open.ts is no door of store\/file \(it has none\)/);
  });

  it('a door that no other room uses is found', () => {
    expect(check({ 'key/build.ts': '' }, { key: ['build'] })).toEqual([
      "test/architecture/doors.ts: no other room imports key/build.ts; remove 'build' from 'key' of sessions",
    ]);
  });
});

describe('purity', () => {
  const check = (text: string) => checkPurity(sessionsOf({ 'key/a.ts': text }), ROOMS);

  it.each([
    `import { readFileSync } from 'node:fs';`,
    `import type { Stats } from 'node:fs';`,
    `import fs from 'fs';`,
    `import { open } from 'node:fs/promises';`,
    `const fs = await import('node:fs');`,
    `const name = 'node:fs'; await import(name);`,
    `const fs = require('node:fs');`,
    `export { readFileSync } from 'node:fs';`,
    `import { spawn } from 'node:child_process';`,
    `import net from 'node:net';`,
    `import { Worker } from 'node:worker_threads';`,
    `import { hostname } from 'node:os';`,
    `import { performance } from 'node:perf_hooks';`,
    `import { setTimeout } from 'node:timers/promises';`,
    `import { randomUUID } from 'node:crypto';`,
    `import { createHash, randomBytes } from 'node:crypto';`,
    `import * as crypto from 'node:crypto';`,
    `import crypto from 'node:crypto';`,
    `import { nanoid } from 'nanoid';`,
    'Date.now();',
    `Date['now']();`,
    'const { now } = Date;',
    'const now = Date.now;',
    'new Date();',
    'new Date;',
    'Date();',
    'const Clock = Date;',
    'class Clock extends Date {}',
    'performance.now();',
    'process.hrtime.bigint();',
    'process.env.HOME;',
    'globalThis.Date.now();',
    'setTimeout(() => {}, 1);',
    'setInterval(() => {}, 1);',
    'new Intl.DateTimeFormat().formatToParts();',
    'new Intl.DateTimeFormat().format();',
    `new Intl.DateTimeFormat()['format']();`,
    'const show = (zone: Intl.DateTimeFormat) => zone.format?.();',
    'new Intl.DateTimeFormat().format(undefined);',
    'new Intl.DateTimeFormat().formatToParts(void 0);',
    'Math.random();',
    `Math['random']();`,
    'const { random } = Math;',
    'crypto.randomUUID();',
    'crypto.getRandomValues(new Uint8Array(8));',
    `fetch('http://localhost');`,
    'console.log(1);',
  ])('forbidden in every pure room: %s', (text) => {
    const pure = [
      'errors.ts',
      'message/a.ts',
      'key/a.ts',
      'entry/a.ts',
      'policy/a.ts',
      'transcript/formats/a.ts',
    ];
    const files = [...pure, 'disk/a.ts', 'store/a.ts'].map((path) => [path, text]);
    const found = checkPurity(sessionsOf(Object.fromEntries(files)), ROOMS);
    expect([...new Set(found.map((line) => line.split(':')[0]))]).toEqual(
      pure.map((path) => `packages/sessions/src/${path}`),
    );
  });

  it.each([
    'const at = (ms: number) => new Date(ms);',
    'const ms = Date.UTC(2026, 0) + Date.parse("2026-01-01");',
    'const isDate = (x: unknown): x is Date => x instanceof Date;',
    'const top = Math.max(1, Math.floor(2.5));',
    `import { createHash } from 'node:crypto'; createHash('sha256');`,
    'const f = (now: () => number, process: { pid: number }) => now() + process.pid;',
    'new Intl.DateTimeFormat().formatToParts(0);',
    'new Intl.DateTimeFormat().format(0);',
    `// Date.now() is not called here\nconst text = 'Math.random()';`,
  ])('allowed: %s', (text) => {
    expect(check(text)).toEqual([]);
  });

  it('names the place', () => {
    expect(check('const a = 1;\nconst b = Date.now();')).toEqual([
      'packages/sessions/src/key/a.ts:2: Date.now in a pure room; take it as an argument',
    ]);
  });
});

it('a read-only room may look at files and not change them', () => {
  const check = (text: string) => checkReadOnly(sessionsOf({ 'layout/a.ts': text }), ROOMS);
  expect(check(`import { existsSync, statSync, type Stats } from 'node:fs';`)).toEqual([]);
  expect(check(`import { existsSync, writeFileSync } from 'node:fs';`)).toHaveLength(1);
  expect(check(`import { rm } from 'node:fs/promises';`)).toHaveLength(1);
  expect(check(`import * as fs from 'fs';`)).toHaveLength(1);
});

describe('shape', () => {
  it('export * is found', () => {
    const files = { 'packages/base/src/index.ts': `export * from './a.ts';` };
    expect(checkExportStars(workspaceOf(files))[0]).toMatch(/^packages\/base\/src\/index.ts:1: /);
  });

  it.each([
    'utils/a.ts',
    'x/helpers/a.ts',
    'common/a.ts',
    'misc/a.ts',
    'shared/a.ts',
    'core/a.ts',
    'types/a.ts',
  ])('the folder of %s is found', (path) => expect(checkNames(sessionsOf({ [path]: '' }))).toHaveLength(1));

  it('a vague file is found, a file named for its types is not', () => {
    expect(checkNames(sessionsOf({ 'key/utils.ts': '' }))).toHaveLength(1);
    expect(checkNames(sessionsOf({ 'key/types.ts': '' }))).toEqual([]);
  });

  it('400 lines pass and 401 do not', () => {
    expect(checkFileLengths(sessionsOf({ 'key/a.ts': '//\n'.repeat(400) }))).toEqual([]);
    expect(checkFileLengths(sessionsOf({ 'key/a.ts': '//\n'.repeat(401) }))).toEqual([
      'packages/sessions/src/key/a.ts has 401 lines, more than 400',
    ]);
  });
});
