import type { DiscoveredSession } from '../../src/discover/discovered-session.ts';

export const NOW = new Date('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;

/** A session of an agent called main, on the branch main, an hour and a half old. */
export function makeSession(fields: Partial<DiscoveredSession> = {}): DiscoveredSession {
  return {
    sessionId: '11111111-1111-4111-8111-111111111111',
    source: 'openclaw',
    agentId: 'main',
    repoPath: '/repo',
    cwd: '/repo',
    branch: 'main',
    firstMessage: 'Repair the login page',
    lastModified: hoursAgo(1.5),
    hasTranscript: true,
    messageCount: 20,
    lineCount: 140,
    fileSizeBytes: 100_000,
    isRunning: false,
    isOpen: false,
    totalInputTokens: 1000,
    totalCacheTokens: 500_000,
    totalOutputTokens: 4000,
    compactionCount: 0,
    ...fields,
  };
}

export function hoursAgo(hours: number): Date {
  return new Date(NOW.getTime() - hours * HOUR);
}
