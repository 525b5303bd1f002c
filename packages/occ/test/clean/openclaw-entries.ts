import type { Line } from './clean-lines.ts';

/** Lines of OpenClaw and pi: each hangs from the one before it unless it says otherwise. */
export function transcript(...entries: Line[]): Line[] {
  const lines: Line[] = [{ type: 'session', version: 3, id: 's', timestamp: 'T', cwd: '/w' }];
  let parentId: unknown = null;
  for (const entry of entries) {
    const line: Line = { parentId, ...entry };
    lines.push(line);
    parentId = line.id;
  }
  return lines;
}

export const message = (id: string, body: Line): Line => ({ type: 'message', id, message: body });
export const asks = (id: string, text: string) => message(id, { role: 'user', content: text });
export const says = (id: string, text: string) =>
  message(id, { role: 'assistant', content: [{ type: 'text', text }] });
export const call = (id: string, args: Line = { path: 'a.txt' }): Line => ({
  type: 'toolCall',
  id,
  name: 'read',
  arguments: args,
});
export const calls = (id: string, ...content: Line[]) => message(id, { role: 'assistant', content });
export const answers = (id: string, toolCallId: string, text = 'done') =>
  message(id, { role: 'toolResult', toolCallId, toolName: 'read', content: [{ type: 'text', text }] });

/** A turn with one call: `q1`, `c1`, `r1`, `a1`. */
export const turn = (number: number, result = 'done'): Line[] => [
  asks(`q${number}`, `question ${number}`),
  calls(`c${number}`, call(`call_${number}`)),
  answers(`r${number}`, `call_${number}`, result),
  says(`a${number}`, `answer ${number}`),
];

export const ids = (lines: readonly Line[]) => lines.slice(1).map(({ id }) => id);
export const find = (lines: readonly Line[], id: string) => lines.find((line) => line.id === id)!;
export const contentOf = (lines: readonly Line[], id: string) => (find(lines, id).message as Line).content;
export const LONG = 'a long output\n'.repeat(30);
