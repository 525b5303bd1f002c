import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextOf } from '../../src/transcript/context/context.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { activePath, leafOf } from '../../src/transcript/tree/tree.ts';
import { scanTranscriptFile } from '../../src/transcript-file/scan.ts';
import { asJsonl, generatedTree } from './generated-tree.ts';

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openbot-pi-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Block {
  type: string;
  text?: string;
  name?: string;
}

/** One word a message: its role, how long its text is, which tools it calls. */
function whatPiSends(manager: SessionManager): string[] {
  return manager.buildSessionContext().messages.map((message) => {
    const { role, content, summary, command, output } = message as unknown as Record<string, unknown>;
    const blocks = (Array.isArray(content) ? content : []) as Block[];
    const text =
      typeof summary === 'string'
        ? summary.length
        : role === 'bashExecution'
          ? (command as string).length + (output as string).length
          : typeof content === 'string'
            ? content.length
            : blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text!.length : 0), 0);
    const tools = blocks.filter((block) => block.type === 'toolCall').map((block) => block.name);
    return `${text} ${tools.join(',')}`;
  });
}

function whatWeSay(transcript: Transcript): string[] {
  const context = contextOf(transcript, activePath(transcript).entries);
  return context.entries.map((index) => {
    const edit = context.edits.get(index);
    if (edit !== undefined) return `${transcript.textSizeOf(edit)} `;
    const text =
      transcript.textSizeOf(index) +
      transcript.resultsOf(index).reduce((sum, result) => sum + result.size, 0);
    return `${text} ${transcript
      .callsOf(index)
      .map((call) => call.name)
      .join(',')}`;
  });
}

const files = ['openclaw-files/2026.1.30', 'openclaw-files/2026.7.35', 'pi'].flatMap((sub) =>
  readdirSync(`${FIXTURES}${sub}`)
    .filter((name) => /\.jsonl(\.|$)/.test(name) && !name.includes('trajectory'))
    .map((name) => `${sub}/${name}`),
);

describe("pi's SessionManager sees what we see", () => {
  test.each(files)('%s', async (file) => {
    const copy = join(folder, `${basename(file)}.copy.jsonl`);
    copyFileSync(`${FIXTURES}${file}`, copy);
    const ours = await scanTranscriptFile(copy);
    const manager = SessionManager.open(copy);
    expect(whatWeSay(ours)).toEqual(whatPiSends(manager));
    if (ours.header?.version === 3) expect(ours.idOf(leafOf(ours)) ?? null).toBe(manager.getLeafId());
  });

  test('in any tree', HUNT, () => {
    const path = join(folder, 'generated.jsonl');
    fc.assert(
      fc.property(generatedTree, (lines) => {
        const content = asJsonl(lines);
        writeFileSync(path, content);
        const builder = new TranscriptBuilder();
        const splitter = new LineSplitter(builder);
        splitter.push(Buffer.from(content));
        splitter.finish();
        const manager = SessionManager.open(path);
        const ours = builder.finish(splitter.offset);
        expect(ours.idOf(leafOf(ours))).toBe(manager.getLeafId());
        expect(whatWeSay(ours)).toEqual(whatPiSends(manager));
      }),
      cases({ gate: 40, torture: 4000 }),
    );
  });
});
