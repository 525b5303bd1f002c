import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { decodePath, StatusParser } from '../../src/project-status/status-parser.ts';

const HASHES = `${'a'.repeat(40)} ${'b'.repeat(40)}`;
const OUTPUT = Buffer.concat(
  [
    `# branch.oid ${'c'.repeat(40)}`,
    '# branch.head feature/x',
    '# branch.upstream origin/feature/x',
    '# branch.ab +3 -4',
    '# something.new to come',
    `1 M. N... 100644 100644 100644 ${HASHES} staged and spaced.txt`,
    `1 .D N... 100644 100644 000000 ${HASHES} deleted\nwith a line end`,
    `1 MM N... 100644 100644 100644 ${HASHES} both.txt`,
    `2 R. N... 100644 100644 100644 ${HASHES} R100 new name.txt`,
    '1 .M old name that looks like a record.txt',
    `u UU N... 100644 100644 100644 100644 ${HASHES} ${'d'.repeat(40)} torn.txt`,
    '? unknown.txt',
    '! ignored.txt',
    'z a kind to come',
  ].map((record) => Buffer.from(`${record}\0`)),
);

function parse(chunks: readonly Buffer[], limit = 100) {
  const parser = new StatusParser(limit);
  for (const chunk of chunks) parser.push(chunk);
  return parser.finish();
}

describe('the parser of git status', () => {
  it('distinguishes staged, modified, untracked and conflicted paths', () => {
    expect(parse([OUTPUT])).toEqual({
      headSha: 'c'.repeat(40),
      branch: 'feature/x',
      upstream: { name: 'origin/feature/x', ahead: 3, behind: 4 },
      staged: ['staged and spaced.txt', 'both.txt', 'new name.txt'],
      uncommitted: ['deleted\nwith a line end', 'both.txt', 'torn.txt', 'unknown.txt'],
      counts: { staged: 3, modified: 2, untracked: 1, conflicted: 1 },
    });
  });

  it('reads the same however the output is cut', HUNT, () => {
    const whole = parse([OUTPUT]);
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: OUTPUT.length }), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [...places.sort((one, other) => one - other), OUTPUT.length];
        const chunks = ends.map((end, at) => OUTPUT.subarray(ends[at - 1] ?? 0, end));
        expect(parse(chunks)).toEqual(whole);
      }),
      cases({ gate: 50, torture: 500, seed: 5 }),
    );
  });

  it('counts what it does not keep', () => {
    const many = Buffer.from(Array.from({ length: 1000 }, (_, at) => `? file-${at}\0`).join(''));
    const parsed = parse([many], 3);
    expect(parsed.uncommitted).toEqual(['file-0', 'file-1', 'file-2']);
    expect(parsed.counts.untracked).toBe(1000);
  });

  it('takes a branch without commits, a detached HEAD, and an upstream that is gone', () => {
    expect(parse([Buffer.from('# branch.oid (initial)\0# branch.head main\0')])).toMatchObject({
      headSha: '',
      branch: 'main',
    });
    expect(parse([Buffer.from('# branch.head (detached)\0')]).branch).toBe('HEAD');
    expect(parse([Buffer.from('# branch.upstream origin/x\0')]).upstream).toEqual({ name: 'origin/x' });
  });

  it('is not shaken by garbage', HUNT, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), (chunks) => {
        expect(() => parse(chunks.map((chunk) => Buffer.from(chunk)))).not.toThrow();
      }),
      cases({ gate: 100, torture: 1000, seed: 6 }),
    );
    expect(parse([Buffer.from('1 M.\0'), Buffer.from('\0\0#\0# \0')]).staged).toEqual(['']);
  });
});

describe('a path of bytes', () => {
  it.each<[string, number[], string]>([
    ['plain text', [0x61, 0x62], 'ab'],
    ['UTF-8', [...Buffer.from('é漢😀')], 'é漢😀'],
    ['latin-1 in UTF-8', [0x61, 0xe9, 0x62, 0xc3, 0xa9], 'a\\xe9bé'],
    ['a character that is cut off', [0xf0, 0x9f, 0x98], '\\xf0\\x9f\\x98'],
    ['a lonely continuation', [0x80, 0x0a], '\\x80\n'],
  ])('keeps %s', (_, bytes, text) => {
    expect(decodePath(Buffer.from(bytes))).toBe(text);
  });
});
