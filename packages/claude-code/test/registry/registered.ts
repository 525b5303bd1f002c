import { randomUUID } from 'node:crypto';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';

export function registered(own: Partial<RegisteredSession> = {}): RegisteredSession {
  return {
    sessionId: randomUUID(),
    agentId: 'main',
    repoPath: '/work/repo',
    tasks: ['fix the login page'],
    turns: 3,
    totalCostUsd: 0.25,
    startedAt: '2026-11-16T01:00:00.000Z',
    ...own,
  };
}
