import { type BigIntStats, constants, fstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenFile } from '../disk/open-file.ts';
import { detectDialect } from '../transcript/formats/detect.ts';
import { clearLineFacts, emptyLineFacts } from '../transcript/formats/dialect.ts';
import { openclawDialect } from '../transcript/formats/openclaw.ts';
import { parseJson } from '../transcript/skim/deep-json.ts';
import { SkimmedLine } from '../transcript/skim/shape.ts';
import { Skimmer } from '../transcript/skim/skimmer.ts';
import { StringTable } from '../transcript/skim/string-table.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readLinesBackwards } from './file-parts.ts';
import { BYTE_ORDER_MARK, readHeader } from './header.ts';

/**
 * `headless`: it has no header that agents accept, and messages that can be read. `unreadable`: neither. Broken lines behind
 * a header do not make a transcript either of these.
 */
export type TranscriptCondition = 'missing' | 'whole' | 'empty' | 'headless' | 'unreadable';

const DAMAGED: ReadonlySet<TranscriptCondition> = new Set(['headless', 'unreadable']);

/** Of the end of a file without a header, in which messages are looked for. */
const FURTHEST_BACK = 16 * 1024 * 1024;

/** A program that writes a file anew leaves it without a header for a moment. */
const CONFIRM_MS = 200;
const MOST_LOOKS = 5;

/**
 * What a transcript is. Damage is looked at twice, so that a file in the middle of a write is not taken for damaged: one
 * that keeps changing counts as whole. Rejects when the file cannot be read: that is no damage.
 */
export async function examineTranscript(path: string): Promise<TranscriptCondition> {
  let last: Look | undefined;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const look = await lookAt(path);
    const { condition } = look;
    if (!DAMAGED.has(condition) || isSame(look, last)) return condition;
    last = look;
    await sleep(CONFIRM_MS);
  }
  return 'whole';
}

interface Look {
  readonly condition: TranscriptCondition;
  readonly stat?: BigIntStats;
}

function isSame({ condition, stat }: Look, last: Look | undefined): boolean {
  const { size, mtimeNs, ino } = last?.stat ?? {};
  return (
    condition === last?.condition && stat?.size === size && stat?.mtimeNs === mtimeNs && stat?.ino === ino
  );
}

async function lookAt(path: string): Promise<Look> {
  let file: OpenFile;
  try {
    file = new OpenFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { condition: 'missing' };
    throw describeFileFault(path, error, 'read');
  }
  try {
    const stat = fstatSync(file.fd, { bigint: true });
    if (!stat.isFile()) throw notAFile(path);
    const size = Number(stat.size);
    if (size === 0) return { condition: 'empty', stat };
    if ((await readHeader(file, size)) !== undefined) return { condition: 'whole', stat };
    const isHidden = (await readHeader(file, size, BYTE_ORDER_MARK.length)) !== undefined;
    return { condition: isHidden || (await hasEntry(file, size)) ? 'headless' : 'unreadable', stat };
  } catch (error) {
    throw describeFileFault(path, error, 'read');
  } finally {
    file.close();
  }
}

/** Whether a line near the end is a message of OpenClaw or pi, of any age. */
async function hasEntry(file: OpenFile, size: number): Promise<boolean> {
  const line = new SkimmedLine(openclawDialect.shape, new StringTable());
  const skimmer = new Skimmer(openclawDialect.shape, line);
  const facts = emptyLineFacts();
  for await (const { bytes, start } of readLinesBackwards(file, size, FURTHEST_BACK)) {
    if (bytes !== undefined && skimmer.skim(bytes, 0, bytes.length)) {
      clearLineFacts(facts);
      openclawDialect.read(line, facts);
      if (facts.kind === 'message' && facts.role !== 'other' && !isClaudes(bytes)) return true;
    }
    if (size - start > FURTHEST_BACK) return false;
  }
  return false;
}

/** Claude Code's lines have messages too, and no header. */
function isClaudes(line: Buffer): boolean {
  return detectDialect(parseJson(line, 0, line.length))?.name === 'claude-code';
}
