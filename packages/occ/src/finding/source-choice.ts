import { OpenBotError } from '@openbot/sessions';
import { isGiven } from '../layout/state-folder.ts';
import { SOURCES, sourceOf } from '../storage/all.ts';
import type { SearchScope, SourceName } from '../storage/contract/found-session.ts';
import type { SessionSource } from '../storage/contract/source.ts';

/** The sources to search. They are never mixed unless `--source all` asks for it. */
export function chooseSources(scope: SearchScope): readonly SessionSource[] {
  if (scope.source === 'all') return SOURCES;
  const implied = findImplied(scope);
  if (scope.source !== undefined) {
    if (implied !== undefined && implied.source.name !== scope.source)
      throw contradiction(implied, scope.source);
    return [sourceOf(scope.source)];
  }
  if (implied !== undefined) return [implied.source];
  const own = SOURCES.find((source) => readOwnSessionId(source, scope) !== undefined);
  if (own !== undefined) return [own];
  const [preferred, ...others] = SOURCES;
  if (preferred!.isNamed?.(scope) || preferred!.exists(scope)) return [preferred!];
  const existing = others.filter((source) => source.exists(scope));
  return existing.length === 1 ? existing : [preferred!];
}

/** The source that the caller asked for explicitly, and by which flag. */
export function demandedSource(scope: SearchScope): Implied | undefined {
  if (scope.source === 'all') return undefined;
  if (scope.source === undefined) return findImplied(scope);
  return { source: sourceOf(scope.source), flag: `--source ${scope.source}` };
}

/** The id of the session that this shell belongs to, where its agent writes it to the environment. */
export function readOwnSessionId({ shell }: SessionSource, { env }: SearchScope): string | undefined {
  const id = shell.sessionVariable === undefined ? undefined : env[shell.sessionVariable];
  return isGiven(id) ? id.trim() : undefined;
}

interface Implied {
  readonly source: SessionSource;
  readonly flag: string;
}

function findImplied(scope: SearchScope): Implied | undefined {
  for (const source of SOURCES) {
    const [flag] = source.givenFlags?.(scope) ?? [];
    if (flag !== undefined) return { source, flag };
  }
  return undefined;
}

function contradiction({ flag, source }: Implied, asked: SourceName): OpenBotError {
  return new OpenBotError(
    'USAGE',
    `${flag} selects ${source.title}, but --source selects ${sourceOf(asked).title}`,
    {
      hint: `Leave out ${flag} or --source ${asked}`,
    },
  );
}
