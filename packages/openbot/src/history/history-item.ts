import type { LineUsage, Speaker } from '@openbot/sessions/transcript';

/** What a reader of a conversation sees, in its order. */
export type HistoryItem = HistoryMessage | HistoryNote;

interface ItemPlace {
  /** Counted from 1. Absent before the first turn, and on other branches. */
  readonly turn?: number;
  /** Of the entry; of the first one where several lines make one message. */
  readonly id?: string;
  /** Milliseconds. */
  readonly at?: number;
  /** It is, or holds, the entry that was asked for. */
  readonly isMarked?: true;
  /** The conversation goes on without it. */
  readonly isOffPath?: true;
}

export interface HistoryMessage extends ItemPlace {
  readonly kind: 'message';
  readonly speaker: Speaker;
  readonly parts: readonly HistoryPart[];
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: LineUsage;
  readonly failure?: string;
}

export type HistoryPart =
  | { readonly kind: 'text'; readonly text: string }
  /** Empty where the provider keeps it to itself. */
  | { readonly kind: 'thinking'; readonly text: string }
  | CallPart
  /** Of a call that is not among what is shown. */
  | ({ readonly kind: 'result'; readonly callId: string; readonly name?: string } & CallResult)
  | { readonly kind: 'image'; readonly mimeType?: string }
  /** A kind of content that is not known here. */
  | { readonly kind: 'other'; readonly type: string };

export interface CallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  /** Absent for a call that has none yet, or never got one. */
  readonly result?: CallResult;
}

export interface CallResult {
  readonly text: string;
  readonly images: number;
  readonly isError: boolean;
  readonly durationMs?: number;
}

export interface HistoryNote extends ItemPlace {
  readonly kind: 'note';
  readonly about:
    | 'compaction'
    | 'summary'
    | 'branch'
    | 'model'
    | 'thinking'
    | 'reset'
    | 'name'
    | 'unreadable';
  readonly text: string;
  /** The summary that took the place of what was said. */
  readonly detail?: string;
}
