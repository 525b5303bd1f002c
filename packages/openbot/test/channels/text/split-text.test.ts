import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/setup/expect-linear.ts';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { splitText } from '../../../src/channels/text/split-text.ts';

const bare = (text: string) => text.replace(/\s/g, '');

const word = fc.constantFrom('a', 'Hello', '😀', 'ß', '- x', '**b**', '[l](http://x.y)', 'w'.repeat(30));
const space = fc.constantFrom(' ', '\n', '\n\n', '  ', '\n    ');
const prose = fc.array(fc.tuple(word, space), { maxLength: 60 }).map((pairs) => pairs.flat().join(''));
const fence = fc.constantFrom('```', '~~~', '````', '```js', '```typescript with words');
const block = fc.tuple(fence, prose).map(([open, code]) => `${open}\n${code}\n${/^[`~]+/.exec(open)![0]}\n`);
const document = fc.array(fc.oneof(prose, block), { maxLength: 6 }).map((all) => all.join('\n'));

describe('splitText', () => {
  test('leaves a text that fits alone', () => {
    expect(splitText('Hello', 5)).toEqual(['Hello']);
    expect(splitText('', 5)).toEqual(['']);
    expect(splitText('  \n ', 2)).toEqual(['  \n ']);
  });

  test('splits at blank lines, then at line ends, then at spaces, then anywhere', () => {
    expect(splitText('one two six\n\nthree four\nfive', 20)).toEqual(['one two six', 'three four\nfive']);
    expect(splitText('one two three\nfour', 14)).toEqual(['one two three', 'four']);
    expect(splitText('one two three four', 13)).toEqual(['one two three', 'four']);
    expect(splitText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(splitText('😀😀😀', 3)).toEqual(['😀', '😀', '😀']);
  });

  test('keeps the indentation of the line that a part begins with', () => {
    expect(splitText('- one is long\n  - two', 14)).toEqual(['- one is long', '  - two']);
  });

  test('closes a code block and opens it again', () => {
    const code = ['let a = 1;', 'let b = 2;', 'let c = 3;', 'let d = 4;'];
    expect(splitText(`\`\`\`js\n${code.join('\n')}\n\`\`\``, 36)).toEqual([
      '```js\nlet a = 1;\nlet b = 2;\n```',
      '```js\nlet c = 3;\nlet d = 4;\n```',
    ]);
  });

  test('measures what is sent', () => {
    const shown = (part: string) => part.replaceAll('*', '').length;
    expect(splitText('**aa** **bb** **cc**', 5, shown)).toEqual(['**aa** **bb**', '**cc**']);
  });

  test('has a limit for each part', () => {
    expect(splitText('one two three', (part) => (part === 0 ? 4 : 20))).toEqual(['one', 'two three']);
  });

  test('loses nothing, and no part is too long', HUNT, () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 2, max: 120 }), (text, limit) => {
        const parts = splitText(text, limit);
        expect(bare(parts.join(''))).toBe(bare(text));
        for (const part of parts) if (text.trim() !== '') expect(part.length).toBeLessThanOrEqual(limit);
      }),
      cases({ gate: 80, torture: 5000 }),
    );
  });

  test('code blocks are closed in each part, and all of the code is there', HUNT, () => {
    const marks = /^(`{3,}|~{3,}).*$/gm;
    fc.assert(
      fc.property(document, fc.integer({ min: 60, max: 300 }), (text, limit) => {
        const parts = splitText(text, limit);
        for (const part of parts) {
          if (text.trim() !== '') expect(part.length).toBeLessThanOrEqual(limit);
          expect(openMark(part)).toBeUndefined();
        }
        expect(bare(parts.join('\n').replace(marks, ''))).toBe(bare(text.replace(marks, '')));
      }),
      cases({ gate: 80, torture: 5000 }),
    );
  });

  test('ends for any text and any limit', HUNT, () => {
    const any = fc.oneof(
      document,
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constant('`'.repeat(300)),
    );
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 30 }), (text, limit) => {
        for (const part of splitText(text, limit))
          if (text.trim() !== '') expect([...part].length === 1 || part.length <= limit).toBe(true);
      }),
      cases({ gate: 50, torture: 5000 }),
    );
    expect(splitText(`\`\`\`${'x'.repeat(5000)}\ncode\n\`\`\``, 100).join('')).toContain('code');
    expect(splitText(`${'`'.repeat(5000)}\ncode`, 100).join('')).toContain('code');
  });

  test('takes time by the length of the text', () => {
    const line = 'Some words of a line that is as long as lines are.\n';
    expectLinear(40_000, (size) => splitText(line.repeat(size / line.length), 2000));
    expectLinear(40_000, (size) => splitText('x'.repeat(size), 2000));
    expectLinear(40_000, (size) => splitText(`\`\`\`\n${line.repeat(size / line.length)}`, 2000));
  });
});

/** The mark of the code block that a part leaves open. */
function openMark(part: string): string | undefined {
  let open: string | undefined;
  for (const line of part.split('\n')) {
    const [, mark, info] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    if (open === undefined) open = mark;
    else if (mark.startsWith(open) && info?.trim() === '') open = undefined;
  }
  return open;
}
