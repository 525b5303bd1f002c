/** Newer models bind thinking to all that was said before it: behind anything else it does not count. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { activePath } from '@openbot/sessions';
import { hasBoundThinking } from '@openbot/sessions/transcript';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { claudeTranscript } from './arbitraries/claude-transcript.ts';
import { BINDING_MODEL } from './arbitraries/models.ts';
import { piTranscript } from './arbitraries/openclaw-transcript.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import type { TranscriptBytes } from './arbitraries/transcript-bytes.ts';
import { cleanBytes } from './clean-bytes.ts';
import { RUNS } from './dialects.ts';
import { readLines } from './oracle/read-bytes.ts';
import { blocksOf, type Json } from './oracle/read-line.ts';
import { walkPath } from './oracle/walk-path.ts';

/** A block as the model reads it, and the message that it is in. */
interface ReadBlock {
  readonly message: unknown;
  readonly isThinking: boolean;
  readonly text: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-bound-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * What pi gives to the model; on demand also what failed and second copies, which a clean shortens too.
 * @param leaf of another branch
 */
function readInPi(bytes: Buffer, all = false, leaf?: string): ReadBlock[] {
  const path = join(folder, 'session.jsonl');
  // Opening rewrites a file of an older version.
  writeFileSync(path, bytes);
  const session = SessionManager.open(path);
  if (leaf !== undefined) session.branch(leaf);
  const messages = session.buildSessionContext().messages as unknown as Json[];
  const isFailed = ({ stopReason }: Json) => stopReason === 'error' || stopReason === 'aborted';
  return messages
    .filter((message) => message.role !== 'system' && (all || !isFailed(message)))
    .flatMap((message) => readBlocks(message, message.timestamp, message.role === 'assistant', all));
}

/** What Claude Code gives to the model, where nothing was compacted: the lines of a message together. */
function readInClaudeCode(bytes: Buffer): ReadBlock[] | undefined {
  const lines = readLines(bytes, 'claude-code');
  if (lines.some(({ value }) => value?.subtype === 'compact_boundary')) return undefined;
  const spoken = walkPath(lines, 'claude-code').lines.filter(
    ({ isMessage, value }) => isMessage && value?.isApiErrorMessage !== true,
  );
  const messages = Map.groupBy(spoken, (line) => line.messageId ?? line.id);
  return [...messages.values()]
    .flat()
    .flatMap(({ id, role, value }) => readBlocks(value!.message as Json, id, role === 'assistant'));
}

function readBlocks(
  { role, content, ...rest }: Json,
  message: unknown,
  isAssistant: boolean,
  withCopies = false,
): ReadBlock[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : blocksOf(content);
  const shown = blocks.filter(({ type, text }) => type !== 'text' || String(text).trim() !== '');
  // Words of other kinds of messages are in members of their own.
  const others = content === undefined ? [{ type: 'other', rest }] : [];
  // A result is there without any text too.
  if (role === 'toolResult') others.push({ type: 'result', rest: { id: rest.toolCallId } });
  return [...shown, ...others].map(({ textSignature: _, partialArgs, ...block }: Json) => ({
    message,
    isThinking: isAssistant && THINKING.includes(block.type as string),
    text: `${role} ${JSON.stringify(withCopies ? { ...block, partialArgs } : block)}`,
  }));
}

const THINKING = ['thinking', 'redacted_thinking'];

/** By message: what is said before each of its thoughts. */
function prefixes(blocks: readonly ReadBlock[]): Map<unknown, string[]> {
  const found = new Map<unknown, string[]>();
  let before = '';
  for (const { message, isThinking, text } of blocks) {
    if (isThinking) found.set(message, [...(found.get(message) ?? []), before]);
    before += `\n${text}`;
  }
  return found;
}

const PROGRAMS: {
  program: string;
  transcripts: fc.Arbitrary<TranscriptBytes>;
  read: (bytes: Buffer, all?: boolean) => ReadBlock[] | undefined;
}[] = [
  { program: 'pi', transcripts: piTranscript, read: readInPi },
  { program: 'Claude Code', transcripts: claudeTranscript, read: readInClaudeCode },
];

describe.each(PROGRAMS)(
  'thinking that is bound to what was said before it, $program',
  ({ transcripts, read }) => {
    const isBound = ({ bytes }: TranscriptBytes) => bytes.includes(BINDING_MODEL);

    test('is left only behind the same words', HUNT, () => {
      fc.assert(
        fc.property(transcripts.filter(isBound), removalOptions, ({ bytes }, options) => {
          const [before, after] = [bytes, cleanBytes(bytes, options).planned].map((each) => read(each));
          if (before === undefined || after === undefined) return;
          const known = prefixes(before);
          for (const [message, texts] of prefixes(after)) expect(known.get(message)).toEqual(texts);
        }),
        RUNS,
      );
    });

    test('goes only with a change of words', HUNT, () => {
      fc.assert(
        fc.property(transcripts.filter(isBound), removalOptions, ({ bytes }, options) => {
          const { planned } = cleanBytes(bytes, options);
          const [before, after] = [bytes, planned].map((each) => read(each, true));
          if (before === undefined || after === undefined) return;
          const wordsIn = (blocks: readonly ReadBlock[]) =>
            blocks.filter((block) => !block.isThinking).map(({ text }) => text);
          // No thinking goes by itself.
          if (before.length > after.length) expect(wordsIn(after)).not.toEqual(wordsIn(before));
        }),
        RUNS,
      );
    });
  },
);

test('on every branch thinking is left only behind the same words', HUNT, () => {
  let branches = 0;
  fc.assert(
    fc.property(
      piTranscript.filter(({ bytes }) => bytes.includes(BINDING_MODEL)),
      removalOptions,
      ({ bytes }, options) => {
        const lines = readLines(bytes, 'openclaw');
        // pi gives ids to the lines of the oldest files.
        if (lines.some(({ inTree, id }) => inTree && id === undefined)) return;
        const { planned, transcript } = cleanBytes(bytes, options);
        if (!hasBoundThinking(transcript, activePath(transcript).entries)) return;
        const parents = new Set(lines.map(({ parentId }) => parentId));
        for (const { id, inTree, role } of lines) {
          if (!inTree || role === undefined || parents.has(id)) continue;
          if (!readLines(planned, 'openclaw').some((line) => line.id === id)) continue;
          branches++;
          const known = prefixes(readInPi(bytes, false, id));
          for (const [message, texts] of prefixes(readInPi(planned, false, id)))
            expect(known.get(message)).toEqual(texts);
        }
      },
    ),
    RUNS,
  );
  expect(branches).toBeGreaterThan(0);
});
