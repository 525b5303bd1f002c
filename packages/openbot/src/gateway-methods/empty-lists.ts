import type { Scope } from '../gateway-protocol/scopes.ts';
import { gatewayMethod } from './services.ts';

/** What clients ask for when they start, and what this gateway never has: people are asked in their conversations. */
const EMPTY: readonly (readonly [name: string, scope: Scope, answer: unknown])[] = [
  ['exec.approval.list', 'operator.approvals', []],
  ['plugin.approval.list', 'operator.approvals', []],
  ['openclaw.approval.list', 'operator.approvals', []],
  ['question.list', 'operator.read', { questions: [] }],
  ['taskSuggestions.list', 'operator.read', { suggestions: [] }],
];

export const EMPTY_METHODS = EMPTY.map(([name, scope, answer]) =>
  gatewayMethod({ name, scope, params: {}, handle: () => answer }),
);
