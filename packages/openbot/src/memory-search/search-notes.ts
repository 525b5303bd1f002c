import type { SearchNotes } from '@openbot/claude-code';
import type { BotConfig } from '../config/bot-config.ts';
import { searchMemory } from './search-memory.ts';

/** The search of notes for Claude Code and other clients of MCP. Without an index they are compared by words. */
export function makeNoteSearch(params: {
  readonly indexPath: string;
  readonly settings: BotConfig['index'];
  report(message: string): void;
}): SearchNotes {
  const { indexPath, settings: { enabled = true, embedding } = {}, report } = params;
  return async (query, { workspace, agentId, note }) => {
    if (!enabled) return undefined;
    try {
      const hits = await searchMemory({
        indexPath,
        stateDir: '',
        agentId,
        workspaceDir: workspace,
        query,
        note,
        sessionKeys: [],
        embedding,
        signal: new AbortController().signal,
        catchUp: async () => {},
        report,
      });
      return hits.flatMap((hit) =>
        'note' in hit && hit.note.startsWith('memory/')
          ? [{ ...hit, file: hit.note, score: Math.round(hit.score * 10_000) / 10_000 }]
          : [],
      );
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
}
