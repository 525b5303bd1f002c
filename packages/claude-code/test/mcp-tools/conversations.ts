import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  composeSession,
  type SessionComposer,
} from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import { makeAgentDatabase } from '../../../sessions/test/openclaw-db/setup/make-database.ts';

export interface ConversationToMake {
  readonly key: string;
  readonly entry?: Record<string, unknown>;
  readonly compose: (session: SessionComposer) => void;
}

const UPDATED = 1_794_767_348_365;

/** Composes conversations; the same lines whichever way they are kept. */
function composeAll(conversations: readonly ConversationToMake[]) {
  return conversations.map(({ key, entry = {}, compose }, at) => {
    const session = composeSession({ seed: at + 1 });
    compose(session);
    return { key, entry, sessionId: session.sessionId, events: session.events };
  });
}

/** As a file-era OpenClaw or OpenBot keeps them. Gives the session ids. */
export function keepInFiles(stateDir: string, agentId: string, all: readonly ConversationToMake[]): string[] {
  const folder = join(stateDir, 'agents', agentId, 'sessions');
  mkdirSync(folder, { recursive: true });
  const composed = composeAll(all);
  const store = composed.map(({ key, entry, sessionId }) => [
    key,
    { sessionId, updatedAt: UPDATED, ...entry },
  ]);
  writeFileSync(join(folder, 'sessions.json'), JSON.stringify(Object.fromEntries(store)));
  for (const { sessionId, events } of composed) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    writeFileSync(join(folder, `${sessionId}.jsonl`), lines.join(''));
  }
  return composed.map(({ sessionId }) => sessionId);
}

/** As a current OpenClaw keeps them. */
export function keepInDatabase(
  stateDir: string,
  agentId: string,
  all: readonly ConversationToMake[],
): string[] {
  const path = join(stateDir, 'agents', agentId, 'agent', 'openclaw-agent.sqlite');
  mkdirSync(dirname(path), { recursive: true });
  const sessions = composeAll(all).map(({ entry, ...rest }) => ({
    ...rest,
    entry: { updatedAt: UPDATED, ...entry },
  }));
  return makeAgentDatabase(path, { sessions, agentId }).map(({ sessionId }) => sessionId);
}

/** A person asks and is answered, so many times. */
export function talk(times: number, about = 'question') {
  return (session: SessionComposer) => {
    for (let i = 1; i <= times; i++) {
      session.addUser(`${about} ${i}`);
      session.addAssistant({ text: `answer ${i}` });
    }
  };
}
