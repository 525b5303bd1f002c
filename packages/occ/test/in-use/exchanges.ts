/** Lines of each dialect as their programs write them, cut to what matters here. */

const openclaw = (message: object) => ({ type: 'message', message });
export const OPENCLAW = {
  header: { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' },
  question: openclaw({ role: 'user', content: [{ type: 'text', text: 'What is in a.txt?' }] }),
  call: openclaw({
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a.txt' } },
    ],
    stopReason: 'toolUse',
  }),
  twoCalls: openclaw({
    role: 'assistant',
    content: [
      { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a.txt' } },
      { type: 'toolCall', id: 'c2', name: 'read', arguments: { path: 'b.txt' } },
    ],
    stopReason: 'toolUse',
  }),
  result: openclaw({
    role: 'toolResult',
    toolCallId: 'c1',
    toolName: 'read',
    content: [{ type: 'text', text: 'x' }],
    isError: false,
  }),
  answer: openclaw({ role: 'assistant', content: [{ type: 'text', text: 'An x.' }], stopReason: 'stop' }),
  custom: { type: 'custom', customType: 'openclaw.cache-ttl', data: {} },
  modelChange: { type: 'model_change', provider: 'p', modelId: 'm' },
};

const claude = (type: string, message: object, more: object = {}) => ({
  type,
  message,
  isSidechain: false,
  userType: 'external',
  cwd: '/w',
  sessionId: 's',
  version: '2.1.325',
  ...more,
});
const block = (id: string, content: object) =>
  claude('assistant', { id, role: 'assistant', model: 'm', content: [content] });
export const CLAUDE = {
  question: claude('user', { role: 'user', content: 'What is in a.txt?' }),
  text: block('m1', { type: 'text', text: 'I look.' }),
  call: block('m1', { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: 'a.txt' } }),
  secondCall: block('m1', { type: 'tool_use', id: 'c2', name: 'Read', input: { file_path: 'b.txt' } }),
  result: claude('user', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }],
  }),
  answer: block('m2', { type: 'text', text: 'An x.' }),
  duration: { type: 'system', subtype: 'turn_duration', durationMs: 5, isMeta: false, sessionId: 's' },
  reminder: claude(
    'user',
    { role: 'user', content: '<system-reminder>be brief</system-reminder>' },
    { isMeta: true },
  ),
  lastPrompt: { type: 'last-prompt', lastPrompt: 'What is in a.txt?', sessionId: 's' },
};

/** Each line gets an id of its dialect and hangs from the one before. */
export function chain(lines: readonly object[]): string {
  let parent: string | null = null;
  return lines
    .map((line, index) => {
      const { type } = line as { type: string };
      if (type === 'session' || type === 'last-prompt') return JSON.stringify(line);
      const id = `e${index}`;
      const links = 'sessionId' in line ? { parentUuid: parent, uuid: id } : { id, parentId: parent };
      parent = id;
      return JSON.stringify({ ...links, ...line });
    })
    .map((line) => `${line}\n`)
    .join('');
}
