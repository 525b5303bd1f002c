/** The page that explains the code names files, and those must exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOMS } from './architecture/table.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const [, PICTURE = ''] = /```mermaid\n([\s\S]*?)```/.exec(PAGE) ?? [];

/** In backticks, with a slash: `docs/errors.md`, `rewrite/`. Such as are not relative to the root are below the sources of a package. */
function listPaths(): string[] {
  const [before = '', after = ''] = PAGE.split('## Follow one message');
  return [...quotedIn(before, 'packages/occ/src'), ...quotedIn(after, 'packages/openbot/src')];
}

function quotedIn(text: string, folder: string): string[] {
  const quoted = [...text.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, path]) => path!);
  return quoted
    .filter((path) => path !== 'backups/')
    .map((path) => (/^(?:packages|test|docs)\//.test(path) ? path : `${folder}/${path}`));
}

test('every path on the page exists', () => {
  const paths = listPaths();
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every link on the page leads to a file', () => {
  const links = [...PAGE.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !existsSync(join(ROOT, 'docs', link)))).toEqual([]);
});

test('the picture shows all rooms of openbot that are folders', () => {
  const source = join(ROOT, 'packages/openbot/src');
  const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const [, part = ''] = /subgraph openbot([\s\S]*?)\n {2}end/.exec(PICTURE) ?? [];
  const named = [...part.matchAll(/^ {4}\w+\["([^"<]+)/gm)].flatMap(([, text]) => text!.split(', '));
  expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
});

test('the picture shows the packages and only rooms that exist', () => {
  const packages = [...PICTURE.matchAll(/"packages\/([\w-]+):/g)].map(([, name]) => name!);
  expect(packages.sort()).toEqual(Object.keys(ROOMS).sort());
  const rooms = new Set(Object.values(ROOMS).flatMap(({ order }) => order.map((room) => room.split('/')[0])));
  const boxes = [...PICTURE.matchAll(/^ {4}\w+\["([^"]+)"\]/gm)].map(([, text]) => text!);
  const named = boxes.flatMap((text) => text.split('<br/>')[0]!.split(', '));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((room) => !rooms.has(room))).toEqual([]);
});
