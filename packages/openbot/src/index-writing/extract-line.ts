import { redactSecrets } from '@openbot/sessions';
import { type MessageBlock, readLineMessage, type Speaker } from '@openbot/sessions/transcript';

/** What an index keeps of one line. */
export interface ExtractedLine {
  readonly position: number;
  readonly speaker: Speaker;
  readonly at?: number;
  readonly entryId?: string;
  /** Without secrets; empty where nothing was said. */
  readonly said: string;
  /** Names and arguments of calls, and the beginnings of results. */
  readonly tools: string;
}

/** More than people write; a pasted log is found by its beginning. */
const MOST_SAID = 64 * 1024;
/** Of one call or result. Most of a transcript is output of tools: with all of it the index would be as large. */
const MOST_OF_TOOL = 500;
/** A secret that begins before the cut is seen far enough to be recognised. */
const BEYOND = 512;

/** Undefined for lines that say nothing, and for those that are no JSON. */
export function extractLine(line: Buffer, position: number): ExtractedLine | undefined {
  const message = readLineMessage(parse(line));
  if (message === undefined) return undefined;
  const { speaker, at, id: entryId, blocks } = message;
  const said = cutText(join(blocks, spokenOf), MOST_SAID);
  const tools = join(blocks, toolTextOf);
  return said === '' && tools === '' ? undefined : { position, speaker, at, entryId, said, tools };
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

function join(blocks: readonly MessageBlock[], read: (block: MessageBlock) => string): string {
  let joined = '';
  for (const block of blocks) {
    const text = read(block);
    if (text !== '') joined += joined === '' ? text : `\n${text}`;
  }
  return joined;
}

function spokenOf(block: MessageBlock): string {
  return block.kind === 'text' ? block.text : '';
}

function toolTextOf(block: MessageBlock): string {
  if (block.kind === 'call') {
    const given = JSON.stringify(block.arguments) ?? '';
    return `${block.name} ${cutText(given, MOST_OF_TOOL)}`;
  }
  return block.kind === 'result' ? cutText(block.text, MOST_OF_TOOL) : '';
}

/** Secrets are hidden before the text is cut, because half a secret is not recognised. */
function cutText(text: string, limit: number): string {
  if (text === '') return text;
  const hidden = redactSecrets(text.length > limit + BEYOND ? text.slice(0, limit + BEYOND) : text);
  if (hidden.length <= limit) return hidden;
  const isSplit = (hidden.charCodeAt(limit - 1) & 0xfc00) === 0xd800;
  return hidden.slice(0, isSplit ? limit - 1 : limit);
}
