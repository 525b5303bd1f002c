import type { MemoryFile } from '@openbot/claude-code';
import { shorten } from '@openbot/sessions/terminal-text';
import { type TranscriptMessage, textsOf, wordsBehindSystemPart } from '@openbot/sessions/transcript';
import type { MemoryHit } from '../memory-search/search-memory.ts';
import { type Tool, toolFailure } from '../tools/contract.ts';
import { answer, type ToolScope } from './parts.ts';
import { listReachable } from './reach.ts';

const MOST_RESULTS = 30;
const MOST_OF_RESULT = 600;
/** Without an index: the last used ones, since searching is reading then. */
const MOST_SESSIONS = 50;
const MOST_OF_SESSIONS = 8 * 1024 * 1024;

const PARAMETERS: Tool['parameters'] = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'Words to search for, or a question.' },
    limit: { type: 'integer', minimum: 1, description: 'How many passages. Default: 8.' },
  },
  required: ['query'],
};

/** For private conversations: what was noted there must not reach a group. */
export function makeMemorySearch(scope: ToolScope): Tool {
  return {
    name: 'memory_search',
    description:
      'Searches your notes (MEMORY.md, memory/*.md) and the conversations that you can reach, the best passages first.',
    parameters: PARAMETERS,
    changes: false,
    run: async ({ query, limit = 8 }, { signal, findReadDenial }) => {
      if (scope.session.isShared)
        throw toolFailure(
          'Several people read this conversation: private notes must not be searched for it.',
        );
      if ((query as string).trim() === '') throw toolFailure('The query is empty.');
      const found = await search(scope, query as string, signal);
      const hits = found.filter((hit) => !('note' in hit && findReadDenial?.(hit.note) !== undefined));
      return answer({
        passages: hits.length,
        results: hits.slice(0, Math.min(limit as number, MOST_RESULTS)).map(describeHit),
      });
    },
  };
}

function describeHit(hit: MemoryHit) {
  const score = Math.round(hit.score * 10_000) / 10_000;
  const found = { text: shorten(hit.text, MOST_OF_RESULT), score };
  if ('sessionKey' in hit) return { sessionKey: hit.sessionKey, ...found };
  return { at: `${hit.note}:${hit.line}`, endLine: hit.endLine, heading: hit.heading, ...found };
}

/** In the index; without one, or where that fails, in what is read for it. */
async function search(scope: ToolScope, query: string, signal: AbortSignal): Promise<MemoryHit[]> {
  const { parts, agent, session } = scope;
  const { index, config, stateDir, onTrouble } = parts;
  if (index === undefined) return searchByReading(scope, query, signal);
  // What is said here is in the context already.
  const keys = (await listReachable(scope)).map(({ key }) => key).filter((key) => key !== session.sessionKey);
  // Loaded here: nothing else of a turn needs it.
  const { searchMemory } = await import('../memory-search/search-memory.ts');
  try {
    return await searchMemory({
      indexPath: index.path,
      stateDir,
      agentId: session.agentId,
      workspaceDir: agent.workspaceDir,
      query,
      sessionKeys: keys,
      embedding: config.index?.embedding,
      signal,
      catchUp: index.catchUp,
      report: (message) => onTrouble(new Error(message), session.sessionKey),
    });
  } catch (error) {
    signal.throwIfAborted();
    onTrouble(error, session.sessionKey);
    return searchByReading(scope, query, signal);
  }
}

async function searchByReading(scope: ToolScope, query: string, signal: AbortSignal): Promise<MemoryHit[]> {
  const { rankPassages, readNotes } = await import('../memory-search/search-memory.ts');
  const { files } = await readNotes(scope.agent.workspaceDir);
  const isNote = (name: string) => files.some((file) => file.name === name);
  const conversations = await readConversations(scope, signal);
  return rankPassages([...files, ...conversations], query).map(({ file, line, ...passage }) => {
    const hit = { ...passage, foundBy: 'words' as const };
    return isNote(file) ? { ...hit, note: file, line } : { ...hit, sessionKey: file };
  });
}

/** The words of each session as one text, a paragraph for each message. */
async function readConversations(scope: ToolScope, signal: AbortSignal): Promise<MemoryFile[]> {
  const { state } = scope.parts;
  const sessions = (await listReachable(scope))
    .filter(({ key }) => key !== scope.session.sessionKey)
    .sort((one, other) => (other.entry.updatedAt ?? 0) - (one.entry.updatedAt ?? 0));
  const files: MemoryFile[] = [];
  let room = MOST_OF_SESSIONS;
  for (const { key, entry } of sessions.slice(0, MOST_SESSIONS)) {
    signal.throwIfAborted();
    if (room <= 0) break;
    const context = await state.transcripts.readContext(scope.refOf(key, entry)).catch(() => []);
    const text = context
      .filter(({ message }) => message.role === 'user' || message.role === 'assistant')
      .map(({ message }) => ({ role: message.role, words: wordsOf(message).replace(/\s+/g, ' ') }))
      .filter(({ words }) => words !== '')
      .map(({ role, words }) => `${role}: ${words}`)
      .join('\n\n')
      .slice(0, room);
    room -= text.length;
    files.push({ name: key, text });
  }
  return files;
}

function wordsOf({ role, content }: TranscriptMessage): string {
  const texts = textsOf(content);
  return (role === 'user' ? texts.map(wordsBehindSystemPart) : texts).join(' ');
}
