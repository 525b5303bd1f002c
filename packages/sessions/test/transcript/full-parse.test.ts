import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateClaudeTranscript } from '../../../../bench/generate-claude-transcript.ts';
import { generateTranscript } from '../../../../bench/generate-transcript.ts';
import { FLAG } from '../../src/transcript/entry.ts';
import { claudeCodeDialect } from '../../src/transcript/formats/claude-code.ts';
import { clearLineFacts, emptyLineFacts } from '../../src/transcript/formats/dialect.ts';
import { openclawDialect } from '../../src/transcript/formats/openclaw.ts';
import { pick } from '../../src/transcript/skim/pick.ts';
import { SkimmedLine } from '../../src/transcript/skim/shape.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { scanTranscriptFile } from '../../src/transcript-file/scan.ts';
import { assistant, boundary, note, rewind, user } from './claude-lines.ts';

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openbot-full-parse-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TELLS_STRETCH = ['a', 'b'];

/** What each line gives when it is parsed whole, without the skimmer. */
function parseWhole(path: string, dialect: Transcript['dialect']): unknown[] {
  const { shape, read } = dialect === 'claude-code' ? claudeCodeDialect : openclawDialect;
  const line = new SkimmedLine(shape);
  const facts = emptyLineFacts();
  const idText = (id: number) => (id < 0 ? undefined : line.strings.text(id));
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => {
      line.clear();
      clearLineFacts(facts);
      pick(JSON.parse(text), shape.root, line);
      read(line, facts);
      const { kind, type, role, flags, textSize, thinkingSize, copySize, imageCount, usage, preserved } =
        facts;
      return {
        ...{ kind, type, role, flags, textSize, thinkingSize, copySize, imageCount, usage },
        // Only a transcript can tell what is in a stretch.
        preserved: preserved !== undefined && 'head' in preserved ? TELLS_STRETCH : preserved,
        id: idText(facts.id),
        messageId: idText(facts.messageId),
        target: idText(facts.target),
        toolCalls: facts.calls.map((call) => ({ ...call, id: idText(call.id) ?? '' })),
        toolResults: facts.results.map(({ callId, name, ...rest }) => ({
          ...rest,
          callId: idText(callId) ?? '',
          name: name || undefined,
        })),
      };
    });
}

async function expectSame(path: string): Promise<void> {
  const transcript = await scanTranscriptFile(path);
  const scanned = [...transcript.entries()].map((entry) => {
    const { kind, type, role, textSize, thinkingSize, copySize, imageCount, usage, id, messageId, target } =
      entry;
    const { toolCalls, toolResults } = entry;
    return {
      ...{ kind, type, role, textSize, thinkingSize, copySize, imageCount, usage, id, messageId, target },
      ...{ toolCalls, toolResults },
      flags: entry.flags & ~(FLAG.noParentField | FLAG.duplicate),
      preserved: transcript.preservedBy(entry.index),
    };
  });
  expect(scanned).toEqual(parseWhole(path, transcript.dialect));
}

test.each([true, false])('every entry of a generated transcript (beyond ASCII: %s)', async (nonAscii) => {
  const path = join(folder, `${nonAscii}.jsonl`);
  await generateTranscript(path, 3_000_000, { nonAscii });
  await expectSame(path);
});

test('every entry of a generated transcript of Claude Code', async () => {
  const path = join(folder, 'claude.jsonl');
  await generateClaudeTranscript(path, 3_000_000);
  await expectSame(path);
});

test('rewinds, stretches and figures of single requests', async () => {
  const iteration = {
    input_tokens: 3,
    output_tokens: 2,
    cache_read_input_tokens: 1,
    cache_creation_input_tokens: 0,
  };
  const iterations = [{ type: 'message', ...iteration }, { type: 'compaction', ...iteration }, 'x', null];
  const lines = [
    user('a', null),
    assistant('b', 'a', { usage: { ...iteration, input_tokens: 9, iterations } }),
    boundary('x', 'b', { preservedSegment: { headUuid: 'a', anchorUuid: 's', tailUuid: 'b' } }),
    user('s', 'x'),
    ...[note('s'), note(null), note(), rewind('a'), rewind(null), note('a', { explicit: 'true' })],
    { ...rewind('a'), type: 'summary' },
    boundary('y', 's', { preservedMessages: { anchorUuid: 't', uuids: [] } }),
  ];
  const path = join(folder, 'facts.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await expectSame(path);
  const transcript = await scanTranscriptFile(path);
  const rewinds = [...transcript.entries()].filter(({ flags }) => (flags & FLAG.movesLeaf) !== 0);
  expect(rewinds.map(({ line, target }) => [line, target])).toEqual([
    [8, 'a'],
    [9, undefined],
  ]);
});

test.each([
  'openclaw-files/2026.7.35/compacted-pristine.jsonl',
  'openclaw-files/2026.7.35/a7e38d01-f39d-4290-81ec-f0e45763b20a.jsonl',
  'claude-code/projects/-home-user-work-tui/cffc02be-27e5-4d1c-ae94-755482ed1222.jsonl',
  'claude-code/projects/-home-user-work-types/aaaa0007-0000-4000-8000-000000000000.jsonl',
  'claude-code/projects/-home-user-work-types/bbbb0020-0000-4000-8000-000000000000.jsonl',
])('every entry of %s', async (file) => {
  await expectSame(`${FIXTURES}${file}`);
});
