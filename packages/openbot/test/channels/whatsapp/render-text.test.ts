import { expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/setup/expect-linear.ts';
import { renderText } from '../../../src/channels/whatsapp/render-text.ts';

test.each([
  ['**bold** and __bold__', '*bold* and *bold*'],
  ['*italic* and _italic_', '_italic_ and _italic_'],
  ['***both*** ~~gone~~', '*_both_* ~gone~'],
  ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ['## A **title** ##', '*A title*'],
  ['* one\n  + two\n1. three', '- one\n  - two\n1. three'],
  [
    '[docs](https://x.org/a_b) ![cat](https://x.org/c.png)',
    'docs (https://x.org/a_b) cat (https://x.org/c.png)',
  ],
  ['[https://x.org](https://x.org)', 'https://x.org'],
  ['`**code**` stays', '`**code**` stays'],
  ['```ts\n**x** # y\n```\n**z**', '```\n**x** # y\n```\n*z*'],
  ['~~~\na\n~~~', '```\na\n```'],
  ['```\nnever closed', '```\nnever closed\n```'],
  ['> quoted **text**', '> quoted *text*'],
])('%j is %j', (markdown, text) => expect(renderText(markdown)).toBe(text));

test('takes time by the length of the text', () => {
  for (const piece of ['[', '**', '*a ', '`', '](http://', '[a](http://', '__', '~~', '# ', '***a']) {
    expectLinear(2000, (size) => renderText(piece.repeat(size)));
  }
});
