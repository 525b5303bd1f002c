import type { HistoryItem, HistoryMessage } from '../history-item.ts';

/** What is shown above a conversation. */
export interface HistoryHead {
  readonly sessionId: string;
  readonly sessionKey?: string;
  readonly agentId?: string;
  readonly label?: string;
  readonly source: string;
  /** Of the transcript, or of the database that holds it. */
  readonly path: string;
  /** Of the whole conversation. */
  readonly turns: number;
  readonly shown?: { readonly first: number; readonly last: number };
  /** Messages on other branches that are not shown. */
  readonly otherBranches: number;
}

/** Of those who speak, in what is written for others. */
export const SPEAKER_NAMES: Readonly<Record<HistoryMessage['speaker'], string>> = {
  user: 'Person',
  assistant: 'Assistant',
  tool: 'Tool',
  system: 'Note',
  summary: 'Summary',
};

/** Writes a conversation in one form, piece by piece: nothing but the last item is held. */
export interface HistoryRenderer {
  begin(head: HistoryHead): string;
  item(item: HistoryItem): string;
  end(): string;
}

export interface RenderOptions {
  /** Arguments and results of tools in full, instead of a line for each call. */
  readonly tools?: boolean;
  readonly thinking?: boolean;
}

/** What the session is called. */
export function titleOf({ label, sessionKey, sessionId }: HistoryHead): string {
  return label ?? sessionKey ?? sessionId;
}
