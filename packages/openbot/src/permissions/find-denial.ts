import { findRealPath } from '@openbot/sessions/layout';
import { type Denial, findAllowing, findDenying, type RulePlaces, readingOf, type ToolUse } from './rules.ts';

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
): Denial | undefined {
  return findFileDenial(rules, readingOf(path), places);
}

function findFileDenial(rules: readonly string[], use: ToolUse, places: RulePlaces): Denial | undefined {
  if (rules.length === 0) return undefined;
  const real = realPlaces(places);
  // A path may go through a link to the workspace, or not, and end at another link that a rule names.
  const named = findDenying(rules, use, places) ?? findDenying(rules, use, real);
  return named ?? findDenying(rules, use, { ...real, findRealPath });
}

/** Whether rules allow a use of a tool: what it names, and the file that a link leads to. */
export function isAllowed(rules: readonly string[], use: ToolUse, places: RulePlaces): boolean {
  if (findAllowing(rules, use, places) === undefined) return false;
  return findAllowing(rules, use, { ...realPlaces(places), findRealPath }) !== undefined;
}

function realPlaces({ workspaceDir, home }: RulePlaces): RulePlaces {
  return {
    workspaceDir: findRealPath(workspaceDir),
    home: home === undefined ? undefined : findRealPath(home),
  };
}
