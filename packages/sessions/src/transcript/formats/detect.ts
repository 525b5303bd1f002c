import { claudeCodeDialect } from './claude-code.ts';
import type { Dialect } from './dialect.ts';
import { openclawDialect } from './openclaw.ts';

/** The types of lines that only OpenClaw and pi write; their assistants' and persons' lines are of type `message`. */
const OPENCLAW_TYPES = new Set([
  'session',
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'context_edit',
]);

/**
 * Which dialect a parsed line belongs to, or undefined where it does not say. Every line of Claude Code names its
 * session or is in the chain of uuids.
 */
export function detectDialect(line: unknown): Dialect | undefined {
  if (line === null || typeof line !== 'object' || Array.isArray(line)) return undefined;
  const { type, uuid, sessionId, leafUuid, role, content } = line as Record<string, unknown>;
  if (typeof uuid === 'string') return claudeCodeDialect;
  if (typeof type === 'string' && OPENCLAW_TYPES.has(type)) return openclawDialect;
  if (typeof sessionId === 'string' || typeof leafUuid === 'string') return claudeCodeDialect;
  if (type === 'file-history-snapshot' || type === 'summary') return claudeCodeDialect;
  if ((typeof role === 'string' || typeof type === 'string') && content !== undefined) return openclawDialect;
  return undefined;
}
