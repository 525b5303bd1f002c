import type { Caller } from '../../gateway-protocol/method.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';

/** Commands have the whole state folder before them. A client with the token of an agent is told what it would be told of no method. */
export function assertWhole({ agentIds }: Caller): void {
  if (agentIds !== undefined) throw refuse('FORBIDDEN', 'missing scope: operator.admin');
}
