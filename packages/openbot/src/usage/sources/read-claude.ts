import type { ReadUnit, UsageUnit } from '../contract.ts';
import { readRequests } from '../marked-lines.ts';
import { CLAUDE_REQUESTS } from '../rules/claude-request.ts';

/** Apart from the listing: a report that finds nothing changed reads no transcript. */
export function readClaude(unit: UsageUnit, known: ReadUnit | undefined): ReadUnit {
  return readRequests(unit, CLAUDE_REQUESTS, known);
}
