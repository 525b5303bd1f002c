import { walkClaudePath } from './claude-path.ts';
import type { OracleDialect, OracleLine } from './read-line.ts';

export interface OraclePath {
  readonly leaf: OracleLine | undefined;
  /** Lines of the conversation as it goes on from the leaf, in their order. */
  readonly lines: readonly OracleLine[];
}

/** The line that each line hangs from, by the rules of its dialect; undefined for a root or a line outside the tree. */
export function parentsOf(lines: readonly OracleLine[]): Map<OracleLine, OracleLine | undefined> {
  const byId = new Map<string, OracleLine>();
  for (const line of lines) if (line.id !== undefined) byId.set(line.id, line);
  const parents = new Map<OracleLine, OracleLine | undefined>();
  let before: OracleLine | undefined;
  for (const line of lines) {
    if (!line.inTree) continue;
    const { parentId } = line;
    if (parentId === undefined) parents.set(line, before?.id === undefined ? before : byId.get(before.id));
    else parents.set(line, parentId === null ? undefined : byId.get(parentId));
    before = line;
  }
  return parents;
}

/** From the root to a line, by parents alone. */
export function walkTo(
  line: OracleLine,
  parents: ReadonlyMap<OracleLine, OracleLine | undefined>,
): OracleLine[] {
  const walked: OracleLine[] = [];
  for (
    let at: OracleLine | undefined = line;
    at !== undefined && !walked.includes(at);
    at = parents.get(at)
  ) {
    walked.unshift(at);
  }
  return walked;
}

/** The conversation. In OpenClaw's and pi's files it is what leads to the last entry. */
export function walkPath(lines: readonly OracleLine[], dialect: OracleDialect): OraclePath {
  if (dialect === 'claude-code') return walkClaudePath(lines);
  const leaf = lines.findLast(({ inTree }) => inTree);
  const walked = new Set(leaf === undefined ? [] : walkTo(leaf, parentsOf(lines)));
  return { leaf, lines: lines.filter((line) => walked.has(line)) };
}

export interface OracleTurn {
  readonly lines: readonly OracleLine[];
  /** Calls, and commands that a person ran. */
  readonly calls: number;
}

/** A turn begins with a person's words; what comes before the first of them is one too, where anything was said. */
export function cutTurns(path: readonly OracleLine[]): OracleTurn[] {
  const turns: OracleLine[][] = [[]];
  for (const line of path) {
    if (line.startsTurn) turns.push([]);
    turns.at(-1)!.push(line);
  }
  return turns
    .filter((lines) => lines.some(({ isMessage }) => isMessage))
    .map((lines) => ({ lines, calls: lines.reduce((sum, line) => sum + toolsOf(line), 0) }));
}

function toolsOf({ calls, role }: OracleLine): number {
  return calls.length + (role === 'bashExecution' ? 1 : 0);
}
