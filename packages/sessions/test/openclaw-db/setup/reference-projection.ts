import { isCanonical, isObject, type Json, type Place, readPlace, scanTree } from './reference-tree.ts';

/** One event as it is stored, decompressed. */
export interface StoredEvent {
  readonly seq: number;
  readonly json: string;
  readonly createdAt: number;
}

export interface ActiveRow {
  readonly activePosition: number;
  readonly eventSeq: number;
  readonly messagePosition: number | null;
  readonly contextEligible: 0 | 1;
}

export interface SearchRow {
  readonly messageId: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly timestamp: number;
}

/** What OpenClaw derives from the events of one session. */
export interface Projection {
  readonly activeRows: readonly ActiveRow[];
  readonly searchRows: readonly SearchRow[];
  readonly indexedSeq: number;
  readonly leafEventId: string | null;
  readonly activeEventCount: number;
  readonly activeMessageCount: number;
}

/** What of one event counts, so that a long session need not be held whole. */
interface Facts {
  readonly seq: number;
  readonly place: Place | undefined;
  readonly isShown: boolean;
  readonly hasMessage: boolean;
  readonly contextEligible: 0 | 1;
  readonly search: SearchRow | undefined;
}

const TEXT_BLOCKS = ['text', 'input_text', 'output_text'];

function readText(message: Json): string {
  if (typeof message.content === 'string') return message.content.trim();
  if (typeof message.text === 'string') return message.text.trim();
  if (!Array.isArray(message.content)) return '';
  return message.content
    .filter((block) => isObject(block) && TEXT_BLOCKS.includes(block.type as string))
    .map((block: Json) => block.text)
    .filter((text) => typeof text === 'string' && text.trim() !== '')
    .join('\n');
}

function readSearchRow(event: Json, createdAt: number): SearchRow | undefined {
  const { message, timestamp } = event;
  if (event.type !== 'message' || typeof event.id !== 'string' || !isObject(message)) return undefined;
  const { role } = message;
  const messageId = event.id.trim();
  if (messageId === '' || (role !== 'user' && role !== 'assistant')) return undefined;
  const text = readText(message);
  if (text === '') return undefined;
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
  const isTime = typeof time === 'number' && Number.isFinite(time);
  return { messageId, role, text, timestamp: isTime ? time : createdAt };
}

function readFacts({ seq, json, createdAt }: StoredEvent): Facts {
  const event: unknown = JSON.parse(json);
  const place = readPlace(event);
  if (!isObject(event)) {
    return { seq, place, isShown: false, hasMessage: false, contextEligible: 1, search: undefined };
  }
  const hasMessage = Object.hasOwn(event, 'message');
  const isLeftOut = isObject(event.message) && event.message.excludeFromContext === true;
  return {
    seq,
    place,
    isShown: event.type !== 'session' && (isCanonical(event) || place !== undefined || hasMessage),
    hasMessage,
    contextEligible: isLeftOut ? 0 : 1,
    search: readSearchRow(event, createdAt),
  };
}

/**
 * What OpenClaw's own rebuild gives for a session, computed plainly from its events in the order of their sequence
 * numbers. Undefined for a session without events: that one has no rows.
 */
export function projectSession(events: Iterable<StoredEvent>): Projection | undefined {
  const bySeq = new Map<number, Facts>();
  for (const event of events) bySeq.set(event.seq, readFacts(event));
  const all = [...bySeq.values()];
  const last = all.at(-1);
  if (last === undefined) return undefined;
  const tree = scanTree(all);
  const hasPath = tree.path.length > 0 || tree.isControlled;
  const chosen = hasPath ? tree.path.map((seq) => bySeq.get(seq)!) : all;
  const activeRows: ActiveRow[] = [];
  let messages = 0;
  for (const { seq, isShown, hasMessage, contextEligible } of chosen) {
    if (!isShown) continue;
    const messagePosition = hasMessage ? messages++ : null;
    activeRows.push({ activePosition: activeRows.length, eventSeq: seq, messagePosition, contextEligible });
  }
  return {
    activeRows,
    searchRows: chosen.flatMap(({ search }) => search ?? []),
    indexedSeq: last.seq,
    leafEventId: tree.appendParent,
    activeEventCount: activeRows.length,
    activeMessageCount: messages,
  };
}
