import type { Transcript } from '@openbot/sessions';
import { formatCount, formatQuantity } from '@openbot/sessions/terminal-text';
import { readLineMessage } from '@openbot/sessions/transcript';
import type { HistoryNote } from './history-item.ts';

type Line = Readonly<Record<string, unknown>>;

/** What a line says that is no message: what the conversation was shortened to, and what changed in it. */
export function noteOf(line: unknown, kind: ReturnType<Transcript['kindOf']>): HistoryNote | undefined {
  if (!isJsonObject(line)) return undefined;
  const told = describeLine(line, kind);
  if (told === undefined) return undefined;
  const id = line.uuid ?? line.id;
  const at = typeof line.timestamp === 'number' ? line.timestamp : Date.parse(String(line.timestamp));
  return { kind: 'note', ...told, ...(isText(id) && { id }), ...(Number.isFinite(at) && { at }) };
}

function describeLine(
  line: Line,
  kind: ReturnType<Transcript['kindOf']>,
): Pick<HistoryNote, 'about' | 'text' | 'detail'> | undefined {
  switch (kind) {
    case 'compaction':
      return { about: 'compaction', text: `Compaction${tokensBefore(line)}`, ...detailOf(line) };
    case 'branch-summary':
      return { about: 'branch', text: 'Summary of another branch', ...detailOf(line) };
    case 'model-change':
      return { about: 'model', text: `Model: ${[line.provider, line.modelId].filter(isText).join('/')}` };
    case 'thinking-level-change':
      return {
        about: 'thinking',
        text: `Thinking: ${isText(line.thinkingLevel) ? line.thinkingLevel : 'off'}`,
      };
    case 'reset':
      return { about: 'reset', text: 'A new conversation begins here' };
    case 'session-info':
      return isText(line.name) ? { about: 'name', text: `Name: ${line.name}` } : undefined;
    default:
      return line.isCompactSummary === true
        ? { about: 'summary', text: 'Summary of what was said before', ...detailOf(line) }
        : undefined;
  }
}

function tokensBefore(line: Line): string {
  const metadata = isJsonObject(line.compactMetadata) ? line.compactMetadata : line;
  const tokens = metadata.preTokens ?? metadata.tokensBefore;
  return typeof tokens === 'number' && tokens > 0 ? ` of ${formatCount(tokens)} tokens` : '';
}

function detailOf(line: Line): { detail?: string } {
  const blocks = isText(line.summary) ? [] : (readLineMessage(line)?.blocks ?? []);
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  const detail = isText(line.summary) ? line.summary : texts.join('\n');
  // Claude Code's boundary says only that there is one.
  return detail === '' || line.subtype === 'compact_boundary' ? {} : { detail };
}

export function unreadableNote(transcript: Transcript, index: number): HistoryNote {
  const bytes = transcript.endOf(index) - transcript.startOf(index);
  const why = transcript.kindOf(index) === 'oversize' ? 'is too long to be shown' : 'cannot be read';
  const id = transcript.idOf(index);
  return {
    kind: 'note',
    about: 'unreadable',
    text: `Line ${formatCount(index + 1)} ${why} (${formatQuantity(bytes, 'byte')})`,
    ...(id !== undefined && { id }),
  };
}

function isJsonObject(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
