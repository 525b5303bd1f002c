import { dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { isFolder } from '../layout/look-at-disk.ts';
import { isGiven, isStateFolderNamed, resolveLayout, resolveStateFolder } from '../layout/state-folder.ts';
import { resolveProjectsFolder } from '../storage/claude/claude-sessions.ts';
import { type SearchScope, SOURCE_NAMES, type SourceName } from '../storage/contract/found-session.ts';
import { resolvePiFolder } from '../storage/pi/pi-sessions.ts';

/** Whose sessions are meant. Sources are never mixed unless `--source all` asks for it. */
export function chooseSources(scope: SearchScope): readonly SourceName[] {
  if (scope.source === 'all') return SOURCE_NAMES;
  const implied = openclawFlags(scope);
  if (scope.source !== undefined) {
    if (scope.source !== 'openclaw' && implied.length > 0) throw contradiction(implied[0]!, scope.source);
    return [scope.source];
  }
  if (implied.length > 0) return ['openclaw'];
  if (isGiven(scope.env.CLAUDE_CODE_SESSION_ID)) return ['claude'];
  if (isStateFolderNamed(scope) || hasSource('openclaw', scope)) return ['openclaw'];
  const others = SOURCE_NAMES.filter((source) => source !== 'openclaw' && hasSource(source, scope));
  return others.length === 1 ? others : ['openclaw'];
}

/** The source that the caller asked for in so many words. */
export function demandedSource(scope: SearchScope): SourceName | undefined {
  if (scope.source === 'all') return undefined;
  return scope.source ?? (openclawFlags(scope).length > 0 ? 'openclaw' : undefined);
}

/** Whether this user has such sessions at all, as far as folders tell. */
export function hasSource(source: SourceName, scope: SearchScope): boolean {
  switch (source) {
    case 'openclaw':
      return isFolder(resolveStateFolder(scope));
    case 'pi':
      return isFolder(resolvePiFolder(scope).folder);
    case 'claude':
      return isFolder(resolveProjectsFolder(scope));
  }
}

/** Where the sessions of a source are looked for: folders, and the databases of OpenClaw. */
export function foldersOf(source: SourceName, scope: SearchScope, agentIds: readonly string[]): string[] {
  switch (source) {
    case 'openclaw': {
      const { stateDir, storePathOf, databasePathOf } = resolveLayout(scope);
      if (agentIds.length === 0) return [join(stateDir, 'agents')];
      return agentIds.flatMap((id) => [dirname(storePathOf(id)), databasePathOf(id)]);
    }
    case 'pi':
      return [resolvePiFolder(scope).folder];
    case 'claude':
      return [resolveProjectsFolder(scope)];
  }
}

function openclawFlags({ stateDirFlag, agentFlag, allAgents }: SearchScope): string[] {
  return [
    ...(isGiven(stateDirFlag) ? ['--state-dir'] : []),
    ...(isGiven(agentFlag) ? ['--agent'] : []),
    ...(allAgents ? ['--all-agents'] : []),
  ];
}

function contradiction(flag: string, source: SourceName): OpenBotError {
  return new OpenBotError('USAGE', `${flag} means sessions of openclaw, but --source says ${source}`, {
    hint: `Leave out ${flag} or --source ${source}`,
  });
}
