import type { MemoryFile } from '@openbot/claude-code';
import { shorten } from '@openbot/sessions/terminal-text';
import { type Tool, toolFailure } from '../tools/contract.ts';
import { withFile } from '../tools/workspace.ts';
import { answer, type ToolScope } from './parts.ts';
import { listReachable } from './reach.ts';

const MOST_RESULTS = 30;
const MOST_OF_RESULT = 600;
const MOST_OF_FILE = 512 * 1024;
/** The last used ones; searching is reading. */
const MOST_SESSIONS = 50;
const MOST_OF_SESSIONS = 8 * 1024 * 1024;

/** For private conversations: what was noted there must not reach a group. */
export function makeMemorySearch(scope: ToolScope): Tool {
  return {
    name: 'memory_search',
    description:
      'Searches your notes (MEMORY.md, memory/*.md) and the conversations that you can reach by words, the best passages first.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words to search for.' },
        limit: { type: 'integer', minimum: 1, description: 'How many passages. Default: 8.' },
      },
      required: ['query'],
    },
    changes: false,
    run: async ({ query, limit = 8 }, { signal }) => {
      if ((query as string).trim() === '') throw toolFailure('The query is empty.');
      // Loaded here: nothing else of a turn needs it.
      const { readMemoryFiles, rankPassages } = await import('../claude-code.ts');
      const notes = await readMemoryFiles(scope.agent.workspaceDir);
      const files = [...(await readMemory(scope)), ...notes.files];
      const found = rankPassages([...files, ...(await readConversations(scope, signal))], query as string);
      const isNote = (file: string) => files.some(({ name }) => name === file);
      return answer({
        passages: found.length,
        results: found
          .slice(0, Math.min(limit as number, MOST_RESULTS))
          .map(({ file, line, endLine, heading, text, score }) => ({
            ...(isNote(file) ? { at: `${file}:${line}`, endLine, heading } : { sessionKey: file }),
            text: shorten(text, MOST_OF_RESULT),
            score,
          })),
      });
    },
  };
}

async function readMemory({ agent }: ToolScope): Promise<MemoryFile[]> {
  const name = 'MEMORY.md';
  const text = await withFile(agent.workspaceDir, name, async (handle) => {
    const bytes = Buffer.alloc(MOST_OF_FILE);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, bytesRead);
  }).catch(() => undefined);
  return text === undefined ? [] : [{ name, text }];
}

/** The words of each session as one text, a paragraph for each message. */
async function readConversations(scope: ToolScope, signal: AbortSignal): Promise<MemoryFile[]> {
  const { state } = scope.parts;
  const sessions = (await listReachable(scope))
    // What is said here is in the context already.
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
      .map(({ message }) => `${message.role}: ${spokenIn(message.content).replace(/\s+/g, ' ')}`)
      .join('\n\n')
      .slice(0, room);
    room -= text.length;
    files.push({ name: key, text });
  }
  return files;
}

function spokenIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((block) => (block?.type === 'text' ? [String(block.text)] : [])).join(' ');
}
