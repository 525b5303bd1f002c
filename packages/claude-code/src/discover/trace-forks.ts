import type { RegisteredSession } from '../registry/registered-session.ts';
import type { ScannedSession } from './scan-folders.ts';

/**
 * Tells of which registered session another one is a fork. The SDK writes that down; Claude Code's own command does not,
 * but its copy begins with the same message.
 */
export function traceForks(
  files: ReadonlyMap<string, ScannedSession>,
  registered: ReadonlyMap<string, RegisteredSession>,
): (sessionId: string) => string | undefined {
  const origins = new Map<string, string>();
  for (const id of registered.keys()) {
    const firstUuid = files.get(id)?.header.firstUuid;
    if (firstUuid !== undefined) origins.set(firstUuid, id);
  }
  return (sessionId) => {
    const header = registered.has(sessionId) ? undefined : files.get(sessionId)?.header;
    if (header?.forkedFrom !== undefined && registered.has(header.forkedFrom)) return header.forkedFrom;
    return header?.firstUuid === undefined ? undefined : origins.get(header.firstUuid);
  };
}
