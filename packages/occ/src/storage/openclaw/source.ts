import { dirname, join } from 'node:path';
import { parseAgentSessionKey } from '@openbot/sessions';
import type { OpenclawLayout } from '@openbot/sessions/layout';
import { isFolder } from '../../layout/look-at-disk.ts';
import {
  isGiven,
  isStateFolderNamed,
  listAgentIds,
  resolveAgents,
  resolveLayout,
  resolveStateFolder,
} from '../../layout/state-folder.ts';
import type { LocatedSession } from '../contract/located-session.ts';
import type { SessionSource } from '../contract/source.ts';
import { openclawFiles } from '../openclaw-files/storage.ts';
import { openclawSqlite } from '../openclaw-sqlite/storage.ts';
import { locateAgentSessions } from './agent-sessions.ts';
import {
  describeGone,
  isDatabase,
  isInSessionsFolder,
  locateAtPath,
  locateMoved,
  openDatabase,
} from './session-at-path.ts';

export const openclawSource: SessionSource = {
  name: 'openclaw',
  title: 'OpenClaw',
  storages: [openclawSqlite, openclawFiles],
  shell: {
    variables: ['OPENCLAW_SHELL'],
    advice:
      'OpenClaw names yours in the prompt (session=<key>, sessionId=<id>). A command is recognised where it is the call itself, not where a script runs it.',
  },
  exists: (scope) => isFolder(resolveStateFolder(scope)),
  rootOf: resolveStateFolder,
  isNamed: isStateFolderNamed,
  givenFlags: ({ stateDirFlag, agentFlag, allAgents }) => [
    ...(isGiven(stateDirFlag) ? ['--state-dir'] : []),
    ...(isGiven(agentFlag) ? ['--agent'] : []),
    ...(allAgents ? ['--all-agents'] : []),
  ],
  locate(scope, opened) {
    const layout = resolveLayout(scope);
    return resolveAgents(scope, layout).flatMap((agentId) =>
      locateAgentSessions({ layout, agentId, opened, warn: scope.warn }),
    );
  },
  agentIds: (scope) => resolveAgents(scope, resolveLayout(scope)),
  scopeOfKey(scope, key) {
    const agentId = parseAgentSessionKey(key)?.agentId;
    if (agentId === undefined) return undefined;
    const isThere = listAgentIds(resolveLayout({ ...scope, warn: undefined })).includes(agentId);
    return isThere ? { ...scope, agentFlag: agentId, allAgents: false, source: 'openclaw' } : undefined;
  },
  searchedPaths(scope) {
    const layout = resolveLayout(scope);
    const agentIds = resolveAgents(scope, layout);
    if (agentIds.length === 0) return [join(layout.stateDir, 'agents')];
    return agentIds.flatMap((id) => [dirname(layout.storePathOf(id)), layout.databasePathOf(id)]);
  },
  adviseOnNone(scope) {
    const layout = resolveLayout(scope);
    const searched = resolveAgents(scope, layout);
    const others = listAgentIds(layout).filter((id) => !searched.includes(id));
    if (others.length === 0) return [];
    return [`Other agents here: ${others.join(', ')}; use --agent <id> or --all-agents.`];
  },
  sessionsFolders(scope) {
    const layout = resolveLayout(scope);
    return resolveAgents(scope, layout).map((agentId) => dirname(layout.storePathOf(agentId)));
  },
  /** Of every agent: an agent may run occ on itself, whichever agent is the default. */
  locateCallers(scope) {
    const layout = resolveLayout({ ...scope, warn: undefined });
    const agentIds = isGiven(scope.agentFlag) ? resolveAgents(scope, layout) : listAgentIds(layout);
    return agentIds.flatMap((agentId) => locateIfReadable(layout, agentId));
  },
  recognise(path, head) {
    if (isInSessionsFolder(path)) return 'folder';
    return head?.dialect === undefined ? undefined : 'dialect';
  },
  locateAt: locateAtPath,
  locateMoved,
  isContainer: isDatabase,
  openContainer: openDatabase,
  describeGone,
};

/** A broken index or database of one agent must not prevent another from cleaning itself. */
function locateIfReadable(layout: OpenclawLayout, agentId: string): LocatedSession[] {
  try {
    return locateAgentSessions({ layout, agentId });
  } catch {
    return [];
  }
}
