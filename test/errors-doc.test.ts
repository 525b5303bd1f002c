/** docs/errors.md is made from the codes of the packages, and every code can really happen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_CODES, makeErrorsPage } from '../docs/make/errors.ts';
import { REPOSITORY, readWorkspaceTexts } from './architecture/workspace.ts';

const CODES = Object.values(ERROR_CODES).flatMap((codes) => Object.keys(codes));
const sources = new Map(
  [...readWorkspaceTexts()].filter(([path]) => path.endsWith('.ts') && !path.endsWith('/src/error-codes.ts')),
);

it('the page is what npm run docs makes', () => {
  expect(readFileSync(join(REPOSITORY, 'docs', 'errors.md'), 'utf8')).toBe(makeErrorsPage());
});

it('a code belongs to one package', () => {
  expect(CODES.filter((code, at) => CODES.indexOf(code) !== at)).toEqual([]);
});

it('every code says what it means and what to do', () => {
  const all = Object.values(ERROR_CODES).flatMap((codes) => Object.entries(codes));
  const short = all.filter(([, { means, remedy }]) => means.length < 20 || remedy.length < 20);
  expect(short.map(([code]) => code)).toEqual([]);
});

it('every code is used', () => {
  const texts = [...sources.values()].join('\n');
  const bins = ['occ', 'openbot'].map((name) =>
    readFileSync(join(REPOSITORY, 'packages', name, 'bin', `${name}.js`), 'utf8'),
  );
  const isUsed = (code: string) => texts.includes(`'${code}'`) || bins.some((text) => text.includes(code));
  expect(CODES.filter((code) => !isUsed(code))).toEqual([]);
});

it('every error is thrown with a code of its package, or of one that it imports', () => {
  const thrown = [...sources].flatMap(([path, text]) =>
    [...text.matchAll(/new OpenBotError\(\s*'([^']+)'/g)].map(([, code]) => ({ path, code: code! })),
  );
  expect(thrown.length).toBeGreaterThan(100);
  const isKnown = ({ path, code }: { path: string; code: string }) => {
    const own = path.split('/')[1]!;
    const seen = own === 'openbot' ? Object.keys(ERROR_CODES) : ['sessions', own];
    return seen.some((name) => Object.hasOwn(ERROR_CODES[name]!, code));
  };
  expect(thrown.filter((one) => !isKnown(one))).toEqual([]);
});
