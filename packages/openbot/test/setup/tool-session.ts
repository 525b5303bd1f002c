import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** More than the cleaner leaves alone. */
const TURNS = 30;

/** A store with one session, `one`, of turns with large results of tools. Returns the path of its transcript. */
export function placeToolSession(stateDir: string, key: string): string {
  const folder = join(stateDir, 'agents', 'main', 'sessions');
  mkdirSync(folder, { recursive: true });
  const store = { [key]: { sessionId: 'one', updatedAt: 1 } };
  writeFileSync(join(folder, 'sessions.json'), JSON.stringify(store));
  const path = join(folder, 'one.jsonl');
  writeFileSync(path, `${makeLines().join('\n')}\n`);
  return path;
}

function makeLines(): string[] {
  let last: string | null = null;
  const add = (id: string, message: object) => {
    const parentId = last;
    last = id;
    return JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-11-15T18:15:19.520Z', message });
  };
  const header = { type: 'session', version: 3, id: 'one', timestamp: '2026-11-15T18:15:19.520Z', cwd: '/' };
  const turns = Array.from({ length: TURNS }, (_, at) => [
    add(`u${at}`, { role: 'user', content: [{ type: 'text', text: `Read file ${at}` }], timestamp: at }),
    add(`c${at}`, {
      role: 'assistant',
      content: [{ type: 'toolCall', id: `call${at}`, name: 'read', arguments: { path: `/${at}` } }],
      timestamp: at,
    }),
    add(`r${at}`, {
      role: 'toolResult',
      toolCallId: `call${at}`,
      toolName: 'read',
      content: [{ type: 'text', text: `zebra ${'words '.repeat(500)}` }],
      isError: false,
      timestamp: at,
    }),
    add(`a${at}`, { role: 'assistant', content: [{ type: 'text', text: 'I read it.' }], timestamp: at }),
  ]);
  return [JSON.stringify(header), ...turns.flat()];
}
