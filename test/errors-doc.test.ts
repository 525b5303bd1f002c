/** docs/errors.md and the codes of the packages are the same list, and every code can really happen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAUDE_CODE_ERROR_CODES } from '@openbot/claude-code';
import { ERROR_CODES } from '@openbot/sessions';
import { OCC_ERROR_CODES } from 'oc-context-cleaner';
import { OPENBOT_ERROR_CODES } from 'openbot';
import { expect, it } from 'vitest';
import { parseSources } from './architecture/parse.ts';
import { REPOSITORY, readWorkspaceTexts } from './architecture/workspace.ts';

interface Row {
  code: string;
  meaning: string;
  remedy: string;
}

/** The rows of the table: a code in backticks, what it means, what to do. */
function readRows(markdown: string): Row[] {
  return markdown.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const code = /^`([A-Z][A-Z0-9_]*)`$/.exec(cells[1] ?? '')?.[1];
    return code === undefined ? [] : [{ code, meaning: cells[2] ?? '', remedy: cells[3] ?? '' }];
  });
}

const LISTS = [ERROR_CODES, OCC_ERROR_CODES, CLAUDE_CODE_ERROR_CODES, OPENBOT_ERROR_CODES];
const CODES = [...new Set<string>(LISTS.flat())];
const rows = readRows(readFileSync(join(REPOSITORY, 'docs', 'errors.md'), 'utf8'));

it('reads a row, and nothing but rows', () => {
  expect(readRows('| code | means |\n| --- | --- |\n| `A_1` | x | y |\ntext `B` | z |\n')).toEqual([
    { code: 'A_1', meaning: 'x', remedy: 'y' },
  ]);
});

it('every code has exactly one row, and every row a code', () => {
  expect(rows.map((row) => row.code).sort()).toEqual([...CODES].sort());
});

it('every row says what the code means and what to do', () => {
  const short = rows.filter((row) => row.meaning.length < 20 || row.remedy.length < 20);
  expect(short.map((row) => row.code)).toEqual([]);
});

/** Classes of occ's errors by the code that each of them gives. */
function readErrorClasses(): Map<string, string> {
  const text = readFileSync(join(REPOSITORY, 'packages', 'occ', 'src', 'errors.ts'), 'utf8');
  const classes = text.split('export class ').slice(1);
  return new Map(
    classes.flatMap((body) => {
      const code = /super\([^;]*'([A-Z_]+)'/.exec(body)?.[1];
      return code === undefined ? [] : [[code, /^\w+/.exec(body)![0]]];
    }),
  );
}

it('every code is used', () => {
  const sources = [...readWorkspaceTexts()].filter(
    ([path]) =>
      path.endsWith('.ts') && !/^packages\/(?:sessions|occ|claude-code)\/src\/errors\.ts$/.test(path),
  );
  const strings = new Set(parseSources(new Map(sources)).flatMap((file) => [...file.strings]));
  const classes = readErrorClasses();
  const isThrown = (name: string | undefined) =>
    name !== undefined && sources.some(([, text]) => text.includes(name));
  expect(CODES.filter((code) => !strings.has(code) && !isThrown(classes.get(code)))).toEqual([]);
});
