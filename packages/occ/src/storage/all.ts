import { claudeSource } from './claude/source.ts';
import type { FollowingStorage } from './contract/following.ts';
import type { FoundSession, SearchScope, SourceName } from './contract/found-session.ts';
import type { SessionSource } from './contract/source.ts';
import type { SessionStorage } from './contract/storage.ts';
import { openclawSource } from './openclaw/source.ts';
import { piSource } from './pi/source.ts';

/** A new source is a folder beside these and a line here. The first one is searched where nothing says another. */
export const SOURCES: readonly SessionSource[] = [openclawSource, piSource, claudeSource];

export const STORAGES: readonly SessionStorage[] = SOURCES.flatMap(({ storages }) => storages);

export function sourceOf(name: SourceName): SessionSource {
  return SOURCES.find((source) => source.name === name)!;
}

/** The storage that holds a session. */
export function storageOf({ source, storage }: Pick<FoundSession, 'source' | 'storage'>): SessionStorage {
  // A list may ask for each of thousands of sessions.
  for (const one of STORAGES) if (one.source === source && one.storage === storage) return one;
  throw new TypeError(`No storage is named ${source} ${storage}`);
}

/** What reads the lines of a session as they are added. */
export function followingOf(session: Pick<FoundSession, 'source' | 'storage'>): Promise<FollowingStorage> {
  return storageOf(session).following();
}

/** The folder with the sessions of a program; undefined where this user has none of it. */
export function findSessionsRoot(name: SourceName, scope: SearchScope): string | undefined {
  const source = sourceOf(name);
  return source.exists(scope) ? source.rootOf(scope) : undefined;
}
