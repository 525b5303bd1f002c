import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateTranscript } from '../../../../bench/generate-transcript.ts';
import { claudeCodeDialect } from '../../src/transcript/formats/claude-code.ts';
import { clearLineFacts, emptyLineFacts } from '../../src/transcript/formats/dialect.ts';
import { openclawDialect } from '../../src/transcript/formats/openclaw.ts';
import { pick } from '../../src/transcript/skim/pick.ts';
import { SkimmedLine } from '../../src/transcript/skim/shape.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { scanTranscriptFile } from '../../src/transcript-file/scan.ts';

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openbot-full-parse-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      const { kind, type, role, textSize, thinkingSize, copySize, imageCount, usage } = facts;
      return {
        ...{ kind, type, role, textSize, thinkingSize, copySize, imageCount, usage },
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
    };
  });
  expect(scanned).toEqual(parseWhole(path, transcript.dialect));
}

test.each([true, false])('every entry of a generated transcript (beyond ASCII: %s)', async (nonAscii) => {
  const path = join(folder, `${nonAscii}.jsonl`);
  await generateTranscript(path, 3_000_000, { nonAscii });
  await expectSame(path);
});

test.each([
  'openclaw-files/2026.7.35/compacted-pristine.jsonl',
  'openclaw-files/2026.7.35/a7e38d01-f39d-4290-81ec-f0e45763b20a.jsonl',
  'claude-code/projects/-home-user-work-tui/cffc02be-27e5-4d1c-ae94-755482ed1222.jsonl',
  'claude-code/projects/-home-user-work-types/aaaa0007-0000-4000-8000-000000000000.jsonl',
])('every entry of %s', async (file) => {
  await expectSame(`${FIXTURES}${file}`);
});
