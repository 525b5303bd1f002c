import { findRealPath } from '@openbot/sessions/layout';
import { type Denial, findAllowing, findDenying, type RulePlaces, readingOf, type ToolUse } from './rules.ts';

/** By paths as they are named. Links may change: it holds for one call of a tool. */
export type RealPaths = Map<string, string>;

/** The first rule that forbids a use of a tool: by what it names, or by the file that a link leads to. */
export async function findDenial(
  rules: readonly string[],
  use: ToolUse,
  places: RulePlaces,
): Promise<Denial | undefined> {
  const denial = findFileDenial(rules, use, places);
  const { command } = use.arguments;
  if (denial?.doubt === undefined || typeof command !== 'string') return denial;
  // Loaded here: it has a parser in it, and most agents have no rule about commands.
  const { listStarted } = await import('./started-commands.ts');
  const shell = use.toolName === 'exec' ? 'sh' : 'bash';
  return findDenying(rules, use, places, listStarted(command, shell));
}

/** The first rule that forbids to show what is in a file. */
export function findReadDenial(
  rules: readonly string[],
  path: string,
  places: RulePlaces,
  realPaths?: RealPaths,
): Denial | undefined {
  return findFileDenial(rules, readingOf(path), places, realPaths);
}

function findFileDenial(
  rules: readonly string[],
  use: ToolUse,
  places: RulePlaces,
  realPaths: RealPaths = new Map(),
): Denial | undefined {
  if (rules.length === 0) return undefined;
  const real = realPlaces(places, realPaths);
  // A path may go through a link to the workspace, or not, and end at another link that a rule names.
  const { workspaceDir, home } = real;
  const isElsewhere = workspaceDir !== places.workspaceDir || home !== places.home;
  const named =
    findDenying(rules, use, places) ??
    (isElsewhere ? findDenying(rules, use, { workspaceDir, home }) : undefined);
  return named ?? findDenying(rules, use, real);
}

/** Whether rules allow a use of a tool: what it names, and the file that a link leads to. */
export function isAllowed(rules: readonly string[], use: ToolUse, places: RulePlaces): boolean {
  if (findAllowing(rules, use, places) === undefined) return false;
  return findAllowing(rules, use, realPlaces(places, new Map())) !== undefined;
}

function realPlaces({ workspaceDir, home }: RulePlaces, realPaths: RealPaths): RulePlaces {
  const find = (path: string) => {
    const known = realPaths.get(path);
    if (known !== undefined) return known;
    const real = findRealPath(path);
    realPaths.set(path, real);
    return real;
  };
  return {
    workspaceDir: find(workspaceDir),
    home: home === undefined ? undefined : find(home),
    findRealPath: find,
  };
}
