/** State folders of each kind, with sessions of the same keys. The own one has what a terminal must not be sent. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeDatabasePlace,
  makeOpenclawPlace,
  makePlace,
  type SessionPlace,
} from '../kept-sessions/session-places.ts';
import { writeSession } from '../setup/own-session.ts';

export type PlaceKind = 'own' | 'files' | 'sqlite';

/** An archive that OpenClaw 2026.7.35 left. */
export const ARCHIVED = 'dab933e7-5287-4192-9e78-57fd885cd9c2';

/** Would rename the window, blink, and turn the rest of the line around. */
export const HOSTILE = '\u001b]0;mine\u0007\u001b[5m\u202e';

export async function makeCommandPlace(kind: PlaceKind): Promise<SessionPlace> {
  const place =
    kind === 'own' ? makeOwnPlace() : kind === 'files' ? makeOpenclawPlace() : await makeDatabasePlace();
  const env = { ...place.env, CLAUDE_CONFIG_DIR: join(place.home, 'claude') };
  writeSession({ env }, place.home, '11111111-0000-4000-8000-000000000001', `teach the parser ${HOSTILE}`);
  return { ...place, env };
}

const NAMES = ['main', 'think', 'img', 'st1', `telegram:group:-1001234567890:topic:42`];
const idOf = (at: number) => `0000000${at}-0000-4000-8000-000000000000`;
const AT = Date.parse('2026-11-15T10:00:00.000Z');

function makeOwnPlace(): SessionPlace {
  const entries = NAMES.map((name, at) => [
    `agent:main:${name}`,
    {
      sessionId: idOf(at),
      updatedAt: AT + at,
      label: at === 1 ? `日本語 🙂 ${HOSTILE}` : undefined,
      displayName: `Somebody ${HOSTILE}`,
      lastChannel: at === 4 ? 'telegram' : undefined,
      totalTokens: 190_000 - 40_000 * at,
      totalTokensFresh: true,
      contextTokens: 200_000,
      model: 'echo',
      modelProvider: 'script',
    },
  ]);
  const place = makePlace(Object.fromEntries(entries), {
    'openbot.json': JSON.stringify({
      agents: { list: [{ id: 'main' }, { id: 'ops', name: 'Operations for the whole of the team' }] },
      channels: { telegram: {} },
    }),
    // A transcript without a header is a fault that the doctor finds.
    [`agents/ops/sessions/${idOf(9)}.jsonl`]: 'no header\n',
    'agents/ops/sessions/sessions.json': JSON.stringify({
      'agent:ops:main': { sessionId: idOf(9), updatedAt: AT },
    }),
  });
  for (const at of NAMES.keys()) writeTalk(place.sessionsDir, idOf(at));
  writeTalk(place.sessionsDir, ARCHIVED, '.deleted.2026-11-15T18-14-02.824Z');
  mkdirSync(join(place.home, '.git'));
  return place;
}

/** Two turns, the first with a tool. */
function writeTalk(folder: string, sessionId: string, ending = ''): void {
  const timestamp = new Date(AT).toISOString();
  const usage = { input: 1200, output: 80, cacheRead: 400, cacheWrite: 0, totalTokens: 1680 };
  const from = { provider: 'script', model: 'echo', api: 'script', usage };
  const messages = [
    { role: 'user', content: `a tool, please ${HOSTILE}` },
    {
      ...{ role: 'assistant', ...from, stopReason: 'toolUse' },
      content: [
        { type: 'thinking', thinking: `what to do? ${HOSTILE}` },
        { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: `notes ${HOSTILE}.txt` } },
      ],
    },
    {
      ...{ role: 'toolResult', toolCallId: 'c1', toolName: 'read', isError: false },
      content: [{ type: 'text', text: `${'a line of a file\n'.repeat(200)}${HOSTILE}` }],
    },
    {
      role: 'assistant',
      ...from,
      stopReason: 'stop',
      content: [{ type: 'text', text: 'I read the harbour file.' }],
    },
    { role: 'user', content: 'thanks' },
    { role: 'assistant', ...from, stopReason: 'stop', content: [{ type: 'text', text: '不客气。' }] },
  ];
  const lines = messages.map((message, at) => ({
    ...{ type: 'message', id: `0000000${at}`, parentId: at === 0 ? null : `0000000${at - 1}`, timestamp },
    message: { ...message, timestamp: AT + at },
  }));
  const header = { type: 'session', version: 3, id: sessionId, timestamp, cwd: folder };
  writeFileSync(
    join(folder, `${sessionId}.jsonl${ending}`),
    [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
}
