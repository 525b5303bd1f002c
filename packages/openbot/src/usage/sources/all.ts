import type { UsageScope, UsageSource } from '../contract.ts';

/** Loaded when it is asked for: a source is a file beside this one and a line here. */
export const USAGE_SOURCES: Readonly<Record<string, (scope: UsageScope) => Promise<UsageSource>>> = {
  openbot: async (scope) => (await import('./openbot.ts')).openOpenbotUsage(scope),
  claude: async (scope) => (await import('./claude.ts')).openClaudeUsage(scope),
  openclaw: async (scope) => (await import('./openclaw.ts')).openOpenclawUsage(scope),
  pi: async (scope) => (await import('./pi.ts')).openPiUsage(scope),
};
