/** The page that explains the code names files, and those must exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOMS } from './architecture/table.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const [, PICTURE = ''] = /```mermaid\n([\s\S]*?)```/.exec(PAGE) ?? [];

/** In backticks, with a slash: `docs/errors.md`, `rewrite/`. Such as are not relative to the root are below occ's sources. */
function listPaths(): string[] {
  const quoted = [...PAGE.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, path]) => path!);
  return quoted
    .filter((path) => path !== 'backups/')
    .map((path) => (/^(?:packages|test|docs)\//.test(path) ? path : `packages/occ/src/${path}`));
}

test('every path on the page exists', () => {
  const paths = listPaths();
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every link on the page leads to a file', () => {
  const links = [...PAGE.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !existsSync(join(ROOT, 'docs', link)))).toEqual([]);
});

test('the picture shows the packages and only rooms that exist', () => {
  const packages = [...PICTURE.matchAll(/"packages\/([\w-]+):/g)].map(([, name]) => name!);
  expect(packages.sort()).toEqual(Object.keys(ROOMS).sort());
  const rooms = new Set(Object.values(ROOMS).flatMap(({ order }) => order.map((room) => room.split('/')[0])));
  const boxes = [...PICTURE.matchAll(/^ {4}\w+\["([^"]+)"\]/gm)].map(([, text]) => text!);
  const named = boxes.flatMap((text) => text.split('<br/>')[0]!.split(', '));
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((room) => !rooms.has(room))).toEqual([]);
});
