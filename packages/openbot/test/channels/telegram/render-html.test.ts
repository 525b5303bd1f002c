import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/setup/expect-linear.ts';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { renderHtml } from '../../../src/channels/telegram/sending/render-html.ts';
import { parseHtml } from './parse-html.ts';

const html = (markdown: string) => renderHtml(markdown).html;

describe('Markdown in the HTML of Telegram', () => {
  test.each([
    ['plain', 'plain'],
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['**bold** and __bold__', '<b>bold</b> and <b>bold</b>'],
    ['*italic* and _italic_', '<i>italic</i> and <i>italic</i>'],
    ['**bold *and italic* again**', '<b>bold <i>and italic</i> again</b>'],
    ['***both***', '<b><i>both</i></b>'],
    ['***both** then italic*', '<b>*both</b> then italic*'],
    ['~~gone~~', '<s>gone</s>'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['**open and *crossing** here*', '<b>open and *crossing</b> here*'],
    ['`a < b` and ``a ` b``', '<code>a &lt; b</code> and <code>a ` b</code>'],
    ['`**not bold**`', '<code>**not bold**</code>'],
    ['an ` alone and `` two', 'an ` alone and `` two'],
    ['\\*not italic\\*', '*not italic*'],
    ['# Title', '<b>Title</b>'],
    ['### **Bold** title', '<b>Bold title</b>'],
    ['#no title', '#no title'],
    ['- one\n* two\n  + three\n1. four', '• one\n• two\n  • three\n1. four'],
    ['> quoted\n> > twice\nnot', '<blockquote>quoted\ntwice</blockquote>\nnot'],
    ['```js\nif (a < b) {}\n```', '<pre><code class="language-js">if (a &lt; b) {}</code></pre>'],
    ['```\n**x**\n```\nafter', '<pre>**x**</pre>\nafter'],
    ['~~~\n```\n~~~', '<pre>```</pre>'],
    ['```\nnever closed', '<pre>never closed</pre>'],
    ['```"><script>\nx\n```', '<pre>x</pre>'],
    ['[a *link*](https://x.y/?a=1&b=2)', '<a href="https://x.y/?a=1&amp;b=2">a <i>link</i></a>'],
    ['[w](https://en.org/a_(b)) end', '<a href="https://en.org/a_(b)">w</a> end'],
    ['![image](https://x.y/z.png)', '<a href="https://x.y/z.png">image</a>'],
    ['[](https://x.y)', '<a href="https://x.y">https://x.y</a>'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['[x](file:///etc/passwd) [y](/relative)', '[x](file:///etc/passwd) [y](/relative)'],
    ['[x](https://x.y/"onclick=)', '[x](https://x.y/"onclick=)'],
    ['|a|b|\n|-|-|\n|1|<|\nend', '<pre>|a|b|\n|-|-|\n|1|&lt;|</pre>\nend'],
    ['one\r\ntwo', 'one\ntwo'],
  ])('%j', (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
    expect(parseHtml(expected).text).toBe(renderHtml(markdown).text);
  });

  const marks = ['**', '__', '*', '_', '~~', '`', '``', '```', '[', ']', '](http://a.b)', '](', ')', '!['];
  const others = [
    '<b>',
    '</b>',
    '&amp;',
    '&',
    '"',
    '\\',
    '# ',
    '> ',
    '- ',
    '\n',
    ' ',
    'a',
    'word',
    '😀',
    '|',
  ];
  const messy = fc.array(fc.constantFrom(...marks, ...others), { maxLength: 60 }).map((all) => all.join(''));

  test('whatever is written, the tags are balanced and what is no markup is escaped', HUNT, () => {
    fc.assert(
      fc.property(fc.oneof(messy, fc.string({ unit: 'binary', maxLength: 80 })), (markdown) => {
        const rendered = renderHtml(markdown);
        expect(parseHtml(rendered.html).text).toBe(rendered.text);
      }),
      cases({ gate: 500, torture: 30_000 }),
    );
  });

  test('nothing but marks is lost', HUNT, () => {
    fc.assert(
      fc.property(messy, (markdown) => {
        // Of links the address stays in the link; language names of code blocks are not shown.
        const words = (text: string) => text.replaceAll('http://a.b', '').match(/word|😀|"/g) ?? [];
        const isCode = markdown.includes('```') || markdown.includes('~~~');
        if (!isCode) expect(words(renderHtml(markdown).text)).toEqual(words(markdown));
      }),
      cases({ gate: 200, torture: 10_000 }),
    );
  });

  test.each(['*', '**a', '_', '`', '`` ` ', '[', '[a](', '![', '](', '> ', '~~', '\\', '# ', '|', '<'])(
    'a text of %j alone takes time by its length',
    (mark) => expectLinear(4000, (size) => renderHtml(mark.repeat(size))),
  );
});
