import { describe, expect, it } from 'vitest';
import { composeEntry, composeHeader, composeLine, type EntryDraft } from '../../src/exports/transcript.ts';
import { assertDraft, composeDeliveryMirror, composeUserMessage } from '../../src/transcript/compose.ts';

const place = { id: '0a1b2c3d', parentId: '00000001', timestamp: '2026-11-15T18:15:19.516Z' };
const at = '"id":"0a1b2c3d","parentId":"00000001","timestamp":"2026-11-15T18:15:19.516Z"';

describe('lines are pi’s, field for field', () => {
  it('header', () => {
    const parts = { sessionId: 's1', cwd: '/w', timestamp: place.timestamp };
    expect(composeLine(composeHeader(parts))).toBe(
      '{"type":"session","version":3,"id":"s1","timestamp":"2026-11-15T18:15:19.516Z","cwd":"/w"}\n',
    );
    expect(composeHeader({ ...parts, parentSession: '/p.jsonl' })).toMatchObject({
      parentSession: '/p.jsonl',
    });
  });

  it.each<[EntryDraft, string]>([
    [
      { type: 'message', message: composeUserMessage('hi', 5) },
      `{"type":"message",${at},"message":{"role":"user","content":"hi","timestamp":5}}`,
    ],
    [
      { type: 'model_change', provider: 'p', modelId: 'm' },
      `{"type":"model_change",${at},"provider":"p","modelId":"m"}`,
    ],
    [
      { type: 'thinking_level_change', thinkingLevel: 'low' },
      `{"type":"thinking_level_change",${at},"thinkingLevel":"low"}`,
    ],
    [
      {
        type: 'compaction',
        summary: 'S',
        firstKeptEntryId: 'k',
        tokensBefore: 9,
        details: { a: 1 },
        fromHook: false,
      },
      `{"type":"compaction",${at},"summary":"S","firstKeptEntryId":"k","tokensBefore":9,"details":{"a":1},"fromHook":false}`,
    ],
    [
      { type: 'compaction', summary: 'S', tokensBefore: 9 },
      `{"type":"compaction",${at},"summary":"S","firstKeptEntryId":"0a1b2c3d","tokensBefore":9}`,
    ],
    [
      { type: 'custom', customType: 't', data: { x: 1 } },
      `{"type":"custom","customType":"t","data":{"x":1},${at}}`,
    ],
    [
      { type: 'custom_message', customType: 't', content: 'c', display: true, details: 1 },
      `{"type":"custom_message","customType":"t","content":"c","display":true,"details":1,${at}}`,
    ],
    [{ type: 'label', targetId: 'x', label: 'L' }, `{"type":"label",${at},"targetId":"x","label":"L"}`],
    [{ type: 'label', targetId: 'x' }, `{"type":"label",${at},"targetId":"x"}`],
    [{ type: 'session_info', name: ' a\r\nb ' }, `{"type":"session_info",${at},"name":"a b"}`],
  ])('%j', (draft, line) => {
    assertDraft(draft);
    expect(composeLine(composeEntry(draft, place))).toBe(`${line}\n`);
  });

  it('a place without ids leaves them out, and a root says so', () => {
    const draft: EntryDraft = { type: 'thinking_level_change', thinkingLevel: 'off' };
    expect(composeLine(composeEntry(draft, { timestamp: 't' }))).toBe(
      '{"type":"thinking_level_change","timestamp":"t","thinkingLevel":"off"}\n',
    );
    expect(composeEntry(draft, { id: 'a', parentId: null, timestamp: 't' })).toMatchObject({
      parentId: null,
    });
  });

  it('a line has one line feed, at its end, whatever the text', () => {
    const text = 'a\nb\r\u2028\u2029\u0085\0\ud800"\\';
    const line = composeLine({ type: 'x', text });
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line).toContain('\u2028\u2029\u0085');
    expect(JSON.parse(line)).toEqual({ type: 'x', text });
  });

  it('what is no JSON is refused', () => {
    const circular: Record<string, unknown> = { type: 'custom' };
    circular.self = circular;
    for (const entry of [circular, { type: 'custom', data: 1n }]) {
      expect(() => composeLine(entry)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
  });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['no type', {}],
  ['a type that is inherited', { type: 'toString' }],
  ['a header', { type: 'session', id: 'x' }],
  ['no message', { type: 'message' }],
  ['null as message', { type: 'message', message: null }],
  ['no role', { type: 'message', message: { content: 'x' } }],
  ['no model', { type: 'model_change', provider: 'p' }],
  ['no summary', { type: 'compaction', tokensBefore: 1 }],
  ['no target', { type: 'label', label: 'x' }],
  ['content that is none', { type: 'custom_message', customType: 't', display: true, content: 4 }],
])('refuses a draft with %s', (_name, draft) => {
  expect(() => assertDraft(draft as EntryDraft)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  );
});

describe('composeDeliveryMirror', () => {
  it('is the message that OpenClaw writes', () => {
    expect(JSON.stringify(composeDeliveryMirror({ text: ' Sent. ' }, 1234567890))).toBe(
      '{"role":"assistant","content":[{"type":"text","text":"Sent."}],"api":"openai-responses","provider":"openclaw","model":"delivery-mirror","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1234567890}',
    );
  });

  it.each<[string | undefined, string[] | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    ['  ', [' '], undefined],
    [undefined, ['https://example.com/a/image%20one.png?sig=secret#x'], 'image one.png'],
    [undefined, ['https://h/a.png', '/home/me/private/b.pdf', 'C:\\x\\c.wav'], 'a.png, b.pdf, c.wav'],
    [undefined, ['https://user:secret@example.com'], 'media'],
    [undefined, ['data:image/png;base64,AAAA'], 'media'],
    [undefined, ['https://h/%E0%A4%A.png'], '%E0%A4%A.png'],
    [undefined, ['https://h/a%2Fsecret%2Fb.png'], 'b.png'],
    ['Look', ['https://h/a.png'], 'Look\na.png'],
  ])('%j and %j', (text, mediaUrls, expected) => {
    const mirror = composeDeliveryMirror({ text, mediaUrls }, 1);
    expect(mirror?.content).toEqual(expected === undefined ? undefined : [{ type: 'text', text: expected }]);
  });
});
