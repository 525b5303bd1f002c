import type { StoredSession } from '@openbot/sessions';
import type { SearchHit, SearchRequest } from '../index-search/search.ts';
import type { CompactOutcome } from '../kept-sessions/contract.ts';
import type { Grouping } from '../usage/group-usage.ts';
import type { RewriteTask } from './rewrite.ts';
import { PRESETS, type TaskPlace } from './task-place.ts';

interface UsageTask {
  readonly by: Grouping;
  /** An IANA name; that of the machine when absent. */
  readonly timezone?: string;
  readonly since?: string;
  readonly until?: string;
  readonly agentId?: string;
  readonly limit?: number;
  readonly now: number;
}

/** What each needs is loaded with it: one task is rarely followed by another. */
export const TASKS = {
  usage: async ({ timezone, limit, now, ...asked }: UsageTask, { stateDir, env }: TaskPlace) => {
    const { openCalendar } = await import('../usage/calendar.ts');
    const { gatherUsage, limitGroups } = await import('../usage/gather-usage.ts');
    const { describeUsage } = await import('../usage/describe-usage.ts');
    const request = {
      ...asked,
      calendar: openCalendar(timezone),
      timezone: timezone ?? 'local',
      sources: ['openbot'],
    };
    const { grouped } = await gatherUsage(request, { env, cwd: stateDir, stateDir }, now);
    return describeUsage(grouped, limitGroups(grouped.groups, asked.by, limit), request);
  },

  /** What a transcript is made of, and what each preset would leave of it. */
  context: async ({ path }: { readonly path: string }, { stateDir }: TaskPlace) => {
    const { describeSession, resolveToolRemovalOptions } = await import('oc-context-cleaner');
    const presets = Object.fromEntries(
      PRESETS.map((preset) => [preset, resolveToolRemovalOptions({ preset })]),
    );
    // In a folder of this program sessions are found by the path of their transcript; variables of this process mean nothing.
    const scope = { env: {}, cwd: stateDir, source: 'openclaw' as const };
    return (await describeSession({ scope, sessionId: path, presets })).info;
  },

  planClean: async (
    {
      path,
      preset,
      keep,
    }: { readonly path: string; readonly preset: (typeof PRESETS)[number]; readonly keep?: number },
    { stateDir }: TaskPlace,
  ) => {
    const { executeEdit } = await import('oc-context-cleaner');
    const { statistics, tokens, note } = await executeEdit({
      sessionId: path,
      source: 'openclaw',
      cwd: stateDir,
      env: {},
      force: true,
      dryRun: true,
      toolRemoval: { preset, keepTurnsWithTools: keep },
    });
    return { statistics, tokens, note };
  },

  rewrite: async (task: RewriteTask, place: TaskPlace) => (await import('./rewrite.ts')).rewrite(task, place),

  /** Cuts a transcript to its last lines. */
  compact: async (
    { stored, maxLines, holdsRun, ...keeper }: CompactTask,
    { stateDir }: TaskPlace,
  ): Promise<CompactOutcome> => {
    const { openFileKeeper } = await import('../kept-sessions/files/file-keeper.ts');
    const changes = await openFileKeeper({ ...keeper, stateDir, isRunHere: true }).openChanges({ holdsRun });
    return changes.compact(stored, maxLines);
  },

  /** The best hits among the messages of the state folder; the index is brought up to date first. */
  search: async (
    request: Omit<SearchRequest, 'roots'>,
    { stateDir, env, signal }: TaskPlace,
  ): Promise<readonly SearchHit[]> => {
    const { openIndexDatabase } = await import('../index-db/index-database.ts');
    const { resolveIndexPath } = await import('../index-db/index-path.ts');
    const { catchUpState } = await import('../index-writing/catch-up-state.ts');
    const { searchMessages } = await import('../index-search/search.ts');
    const database = await openIndexDatabase(resolveIndexPath(stateDir, env), {
      report: () => {},
      leaveAlone: ['locked'],
    });
    try {
      await catchUpState(database, stateDir, env);
      signal.throwIfAborted();
      return await searchMessages(database, { ...request, roots: [stateDir] });
    } finally {
      database.close();
    }
  },
};

/** Those that change nothing, and wait for no lock. */
export const READING: ReadonlySet<string> = new Set<keyof typeof TASKS>([
  'usage',
  'context',
  'planClean',
  'search',
]);

interface CompactTask {
  readonly agentId: string;
  readonly storePath: string;
  readonly mainKey?: string;
  readonly scope?: 'per-sender' | 'global';
  readonly stored: StoredSession;
  readonly maxLines?: number;
  /** The gateway has the run lock of the session. Otherwise it is taken for the task. */
  readonly holdsRun: boolean;
}
