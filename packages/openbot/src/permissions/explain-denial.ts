import { relative, sep } from 'node:path';
import { type PermissionRequest, resolveRepo } from '@openbot/claude-code';
import { printable, quoteForShell, shorten } from '@openbot/sessions/terminal-text';
import { QUESTION_TOOL } from './dialog.ts';
import { hasFileRule, suggestNarrow } from './rules.ts';

/** The options of a run that decide what is allowed. */
export interface RunRules {
  readonly repoPath: string;
  /** Calls that match one of these rules run without a question. */
  readonly allowedTools?: readonly string[];
}

/** Why a request was denied without a question, and the rule that would allow it, if one exists. */
export function explainDenial(request: PermissionRequest, run: RunRules): string {
  const why = findReason(request, run);
  const rule = why === undefined || isOnlyOutside(request) ? suggestRule(request) : undefined;
  const { allowedTools = [] } = run;
  // A rule that was given already did not help.
  const isNew =
    rule !== undefined && !allowedTools.includes(rule) && !allowedTools.includes(request.toolName);
  const cause = why ?? (isNew || allowedTools.length === 0 ? 'no rule allows it' : 'no rule covers it');
  const advice = isNew ? `; --allow ${quoteForShell(printable(rule))} would` : '';
  return `${cause}, and there is no terminal to ask at${advice}`;
}

/** Why no simple rule would allow it. */
function findReason({ toolName, reason, blockedPath }: PermissionRequest, run: RunRules): string | undefined {
  if (reason !== undefined && reason !== '' && !NO_REASON.test(reason)) {
    return shorten(reason.replace(/\s+/g, ' ').replace(/\.$/, ''), 300);
  }
  if (toolName !== 'Bash' || blockedPath === undefined || isInside(run.repoPath, blockedPath)) {
    return undefined;
  }
  return `it reaches outside the repository (${blockedPath})`;
}

/** Claude Code's reason for every command that no rule allows. */
const NO_REASON = /^This command requires approval\.?$/i;

/** Claude Code asks about files outside its folder, but a rule for the file allows them. */
function isOnlyOutside({ toolName, reason }: PermissionRequest): boolean {
  return hasFileRule(toolName) && reason !== undefined && /^Path is outside allowed/i.test(reason);
}

function isInside(repoPath: string, path: string): boolean {
  const route = relative(resolveRepo(repoPath).path, path);
  return route !== '..' && !route.startsWith(`..${sep}`);
}

/** The narrowest simple rule that would have allowed a call, in Claude Code's syntax. */
export function suggestRule({
  toolName,
  input,
}: Pick<PermissionRequest, 'toolName' | 'input'>): string | undefined {
  if (toolName === QUESTION_TOOL) return undefined;
  return suggestNarrow({ toolName, arguments: input }) ?? toolName;
}
