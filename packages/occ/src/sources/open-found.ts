import { readFileSync } from 'node:fs';
import type { FoundSession } from './found-session.ts';
import type { LocatedSession } from './located-session.ts';
import { readTranscriptHead } from './transcript-head.ts';

/** Adds what only the transcript says. Undefined for a file of pi's folder that pi does not take for a session. */
export function openFound(located: LocatedSession): FoundSession | undefined {
  const head = located.missing ? undefined : readTranscriptHead(located.path);
  const isPi = located.source === 'pi';
  if (isPi && head !== undefined && head.sessionId === undefined) return undefined;
  const [sessionKey] = located.keys;
  const [label] = located.labels;
  const displayName = located.displayName ?? readTitle(located.titlePath);
  return {
    sessionId: isPi ? (head?.sessionId ?? located.sessionId) : located.sessionId,
    ...(sessionKey === undefined ? {} : { sessionKey }),
    agentId: located.agentId,
    source: located.source,
    path: located.path,
    cwd: head?.cwd ?? null,
    updatedAt: Math.floor(located.updatedAt),
    sizeBytes: located.sizeBytes,
    ...(label === undefined ? {} : { label }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(located.missing ? { missing: true as const } : {}),
  };
}

function readTitle(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const { customTitle } = JSON.parse(readFileSync(path, 'utf8')) as { customTitle?: unknown };
    return typeof customTitle === 'string' && customTitle.trim() !== '' ? customTitle : undefined;
  } catch {
    return undefined;
  }
}
