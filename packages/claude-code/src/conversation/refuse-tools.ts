import type { Options } from '@anthropic-ai/claude-agent-sdk';
import type { ToolUse } from '../run-contract/run-request.ts';

type Hook = NonNullable<NonNullable<Options['hooks']>['PreToolUse']>[number]['hooks'][number];

/**
 * A hook that is called before each use of a tool, whatever allows it; requests for a permission are not.
 * @param findReason why the use is refused
 */
export function refuseTools(
  findReason: (
    use: ToolUse,
    toolUseId: string | undefined,
  ) => string | undefined | Promise<string | undefined>,
): Hook {
  return async (hook, toolUseId) => {
    if (hook.hook_event_name !== 'PreToolUse') return {};
    const input = (hook.tool_input ?? {}) as ToolUse['input'];
    const reason = await findReason({ toolName: hook.tool_name, input }, toolUseId);
    if (reason === undefined) return {};
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    };
  };
}
