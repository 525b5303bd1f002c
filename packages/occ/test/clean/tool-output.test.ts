/** Output of tools that stands in a person's line: of commands, of background agents, of files that were named. */
import { describe, expect, test } from 'vitest';
import { cleanBytes } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';

const LONG = 'a line of output\n'.repeat(30);
const CUT = 'a line of output\na line of output[truncated]';
const NOTIFICATION = (report: string) =>
  `<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Agent "sub" finished</summary>\n<result>${report}</result>\n<usage><tool_uses>2</tool_uses></usage>\n</task-notification>`;

function claude(...entries: Line[]): Line[] {
  let parentUuid: unknown = null;
  return entries.map((entry, index) => {
    const line: Line = { parentUuid, isSidechain: false, sessionId: 's', uuid: `u${index}`, ...entry };
    parentUuid = line.uuid;
    return line;
  });
}
const user = (content: unknown, fields: Line = {}): Line => ({
  type: 'user',
  message: { role: 'user', content },
  ...fields,
});
const answer = (text = 'Seen.'): Line => ({
  type: 'assistant',
  message: { role: 'assistant', id: `m${text}`, content: [{ type: 'text', text }] },
});
const file = (content: string): Line => ({
  type: 'attachment',
  attachment: {
    type: 'file',
    filename: '/w/a.txt',
    content: { type: 'text', file: { filePath: '/w/a.txt', content, numLines: 30 } },
    displayPath: 'a.txt',
  },
  rendered: [
    {
      content:
        '<system-reminder>\nCalled the Read tool with the following input: {"file_path":"/w/a.txt"}\n</system-reminder>',
    },
    { content: `<system-reminder>\nResult of calling the Read tool:\n${content}\n</system-reminder>` },
  ],
  renderedRole: 'user',
});
const contents = (lines: readonly Line[]) => lines.map((line) => (line.message as Line | undefined)?.content);
const ALL = { keep: 0 };

describe('of Claude Code', () => {
  test('a command has its output shortened, in elements that stay closed', () => {
    const output = `<bash-stdout>${LONG}</bash-stdout><bash-stderr>${LONG}</bash-stderr>`;
    const lines = claude(user('list'), user('<bash-input>ls</bash-input>'), user(output), answer());
    expect(contents(cleanLines(lines, ALL))).toEqual([
      'list',
      '<bash-input>ls</bash-input>',
      `<bash-stdout>${CUT}</bash-stdout><bash-stderr>${CUT}</bash-stderr>`,
      [{ type: 'text', text: 'Seen.' }],
    ]);
  });

  test.each(['local-command-stdout', 'local-command-stderr', 'command-stdout'])('<%s> too', (name) => {
    const lines = claude(user('go'), user(`<${name}>${LONG}</${name}>`), answer());
    expect(contents(cleanLines(lines, ALL))[1]).toBe(`<${name}>${CUT}</${name}>`);
  });

  test('the report of a background agent is shortened, the rest of its notification is not', () => {
    const notified = user(NOTIFICATION(LONG), { origin: { kind: 'task-notification' } });
    const [, cleaned] = contents(cleanLines(claude(user('go'), notified, answer()), ALL));
    expect(cleaned).toBe(NOTIFICATION(CUT));
    const two = `${NOTIFICATION(LONG)}\n${NOTIFICATION(LONG)}`;
    const [, both] = contents(cleanLines(claude(user('go'), user(two), answer()), ALL));
    expect(both).toBe(`${NOTIFICATION(CUT)}\n${NOTIFICATION(CUT)}`);
  });

  test('a report that quotes elements stays one', () => {
    const quoting = `${LONG}<result>in</result> and </task-notification> ${LONG}`;
    const lines = claude(user('go'), user(NOTIFICATION(quoting)), answer());
    const cleaned = contents(cleanLines(lines, ALL))[1] as string;
    expect(cleaned.startsWith('<task-notification>\n<task-id>')).toBe(true);
    expect(cleaned).toContain(`<result>${CUT}`);
    expect(cleaned.length).toBeLessThan(NOTIFICATION(quoting).length);
  });

  describe('a report that came while a turn was going on', () => {
    const queued = (prompt: string, marks: Line): Line => {
      const notice = (words: string) => ({
        content: `<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n${words}\n\n${prompt}\n</system-reminder>`,
      });
      return {
        type: 'attachment',
        attachment: { type: 'queued_command', prompt, source_uuid: 'q', ...marks },
        rendered: [notice('This is an automated event.')],
        renderedInHumanTurn: [notice('It is delivered with a message of the user.')],
        renderedRole: 'system',
      };
    };
    const lines = (attachment: Line) => claude(user('go'), answer(), attachment, answer('Done.'));

    test.each([{ commandMode: 'task-notification' }, { origin: { kind: 'task-notification' } }])(
      'is shortened as the model gets it, and its copies: %j',
      (marks) => {
        const before = lines(queued(NOTIFICATION(LONG), marks));
        const cleaned = cleanLines(before, ALL);
        expect(cleaned).toEqual(lines(queued(NOTIFICATION(CUT), marks)));
        expect(cleanLines(cleaned, ALL)).toEqual(cleaned);
      },
    );

    test('is recognised by its marks: what a person typed meanwhile stays, whatever it quotes', () => {
      const before = lines(queued(NOTIFICATION(LONG), { commandMode: 'prompt', origin: { kind: 'human' } }));
      expect(cleanLines(before, ALL)).toEqual(before);
    });
  });

  test('a notebook that a person named is shortened too, and its cells', () => {
    const cells = [{ cellType: 'code', source: LONG }];
    const notebook = (shown: string, left: unknown): Line => ({
      ...file(shown),
      attachment: { type: 'file', filename: 'a.ipynb', content: { type: 'notebook', file: { cells: left } } },
    });
    const cleaned = cleanLines(claude(user('see @a.ipynb'), notebook(LONG, cells), answer()), ALL);
    expect(cleaned[1]).toMatchObject({
      rendered: [{}, { content: expect.stringContaining('[truncated]') }],
      attachment: notebook('', []).attachment,
    });
  });

  test('a file that a person named is shortened as the model gets it, and its copy', () => {
    const [, cleaned] = cleanLines(claude(user('look at @a.txt'), file(LONG), answer()), ALL) as [Line, Line];
    const [called, result] = cleaned.rendered as [Line, Line];
    expect(called).toEqual((file(LONG).rendered as Line[])[0]);
    expect(result.content).toBe(
      '<system-reminder>\nResult of calling the Read tool:\na line of output[truncated]\n</system-reminder>',
    );
    expect(cleaned.attachment).toEqual({
      ...(file(LONG).attachment as Line),
      content: { type: 'text', file: { filePath: '/w/a.txt', content: CUT, numLines: 30 } },
    });
  });

  test("a person's words behind it keep their bytes, and so do words that only quote it", () => {
    const own = `<bash-stdout>${LONG}</bash-stdout>\n caf\u00e9: fix <bash-stdout>${LONG}</bash-stdout>`;
    const quoting = `look: <bash-stdout>${LONG}</bash-stdout>`;
    const blocks = [
      { type: 'text', text: `<bash-stdout>${LONG}</bash-stdout>` },
      { type: 'text', text: quoting },
    ];
    const lines = claude(user('go'), user(own), user(quoting), user(blocks), answer());
    const raw = lines.map((line) => `${JSON.stringify(line).replaceAll('\u00e9', '\\u00E9')}\n`).join('');
    const { planned } = cleanBytes(Buffer.from(raw), { keepTurnsWithTools: 0, truncatePercent: 0 });
    const cleaned = planned.toString().split('\n');
    expect(JSON.parse(cleaned[1]!).message.content).toBe(own.replace(LONG, CUT));
    expect(cleaned[1]).toContain('caf\\u00E9');
    expect(cleaned[2]).toBe(raw.split('\n')[2]);
    expect(JSON.parse(cleaned[3]!).message.content).toEqual([
      { type: 'text', text: `<bash-stdout>${CUT}</bash-stdout>` },
      { type: 'text', text: quoting },
    ]);
  });

  test.each([{ origin: { kind: 'human' } }, { promptSource: 'typed' }, { promptSource: 'sdk' }])(
    'a text that a person typed stays, also if it begins with pasted output: %j',
    (marks) => {
      const pasted = `<bash-stdout>${LONG}</bash-stdout> why?`;
      const lines = claude(
        user('go'),
        user(pasted, marks),
        user([{ type: 'text', text: pasted }], marks),
        answer(),
      );
      expect(cleanLines(lines, ALL)).toEqual(lines);
    },
  );

  test('a report is one, whatever else is said of its origin', () => {
    const marks = { origin: { kind: 'task-notification' }, promptSource: 'system', turnOrigin: 'task' };
    const lines = claude(user('go'), user(NOTIFICATION(LONG), marks), answer());
    expect(contents(cleanLines(lines, ALL))[1]).toBe(NOTIFICATION(CUT));
  });

  test('what no answer has followed yet is still to be read', () => {
    const lines = claude(user('go'), answer(), user(NOTIFICATION(LONG)));
    expect(contents(cleanLines(lines, ALL))[2]).toBe(NOTIFICATION(LONG));
  });

  test('its turns count: the newest stay whole, the older ones are shortened, and again nothing more', () => {
    const turn = (n: number) => [
      user(`question ${n}`),
      user(`<bash-stdout>${n} ${LONG}</bash-stdout><bash-stderr></bash-stderr>`),
      answer(`Answer ${n}.`),
    ];
    const lines = claude(...Array.from({ length: 8 }, (_, n) => turn(n)).flat());
    const options = { keep: 4, truncate: 50 };
    const once = cleanLines(lines, options);
    const whole = once.map((line, index) => JSON.stringify(line) === JSON.stringify(lines[index]));
    expect(whole.flatMap((same, index) => (same ? [] : [index]))).toEqual([1, 4, 7, 10, 13, 16]);
    expect(cleanLines(once, options)).toEqual(once);
  });
});

describe('of pi', () => {
  const entry = (id: string, parentId: string | null, message: Line): Line => ({
    type: 'message',
    id,
    parentId,
    timestamp: '2026-11-16T10:00:00.000Z',
    message,
  });
  const session = (fields: Line = {}): Line[] => [
    { type: 'session', version: 3, id: 's', timestamp: '2026-11-16T10:00:00.000Z', cwd: '/w' },
    entry('a', null, { role: 'user', content: 'go', timestamp: 1 }),
    entry('b', 'a', {
      role: 'bashExecution',
      command: 'ls',
      output: LONG,
      exitCode: 3,
      cancelled: false,
      truncated: false,
      timestamp: 2,
      ...fields,
    }),
    entry('c', 'b', { role: 'assistant', content: [{ type: 'text', text: 'Seen.' }], timestamp: 3 }),
  ];

  test('what a person ran with ! is shortened, its command and exit code stay', () => {
    const message = cleanLines(session(), ALL)[2]!.message as Line;
    expect(message).toEqual({ ...(session()[2]!.message as Line), output: CUT });
  });

  test('what never reaches the model stays', () => {
    const hidden = session({ excludeFromContext: true });
    expect(cleanLines(hidden, ALL)).toEqual(hidden);
  });
});
