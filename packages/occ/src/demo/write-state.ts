import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { saveSessionStore } from '@openbot/sessions';
import { STORE_FILE_NAME, transcriptFileName } from '@openbot/sessions/layout';
import { composeSession } from './compose-session.ts';
import { CONVERSATION } from './conversation.ts';

export const DEMO_SESSION_ID = '5e550a11-9c1d-4f6e-8a3b-0c7d2e9f4b61';

const folderOf = (stateDir: string): string => join(stateDir, 'agents', 'main', 'sessions');

export function demoTranscriptPath(stateDir: string): string {
  return join(folderOf(stateDir), transcriptFileName(DEMO_SESSION_ID));
}

/** The state folder of an OpenClaw with one agent and three sessions, of which the first is full. */
export async function writeDemoState(stateDir: string, now: number): Promise<void> {
  const folder = folderOf(stateDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const sessions = [
    { key: 'agent:main:main', sessionId: DEMO_SESSION_ID, label: 'greenhouse', age: 4, turns: CONVERSATION },
    {
      key: 'agent:main:telegram:dm:4711',
      sessionId: 'b07a2c44-31f5-4c0a-9d52-7e1f6a8c9d03',
      label: undefined,
      age: 190,
      turns: CONVERSATION.slice(17, 19),
    },
    {
      key: 'agent:main:cron:morning-report',
      sessionId: 'd3c5e917-6b28-4e4f-b1a6-2f9d0c8e7a55',
      label: undefined,
      age: 1500,
      turns: CONVERSATION.slice(14, 15),
    },
  ];
  const entries = await Promise.all(
    sessions.map(async ({ key, sessionId, label, age, turns }) => {
      const endedAt = now - age * 60_000;
      const path = join(folder, transcriptFileName(sessionId));
      const lines = composeSession({ sessionId, cwd: '/home/mia/greenhouse', endedAt, turns });
      await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' });
      await utimes(path, endedAt / 1000, endedAt / 1000);
      return [key, { sessionId, updatedAt: endedAt, label }] as const;
    }),
  );
  await saveSessionStore(join(folder, STORE_FILE_NAME), Object.fromEntries(entries));
}
