import { type Denial, findDenying, type RulePlaces, readingOf, type ToolUse } from './rules.ts';

/** The first rule that forbids a use of a tool. */
export async function findDenial(
  rules: readonly string[],
  use: ToolUse,
  places: RulePlaces,
): Promise<Denial | undefined> {
  const denial = findDenying(rules, use, places);
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
  return findDenying(rules, readingOf(path), places);
}
