import { relative, sep } from 'node:path';
import { type PermissionRequest, resolveRepo } from '@openbot/claude-code';
import { printable, quoteForShell, shorten } from '@openbot/sessions/terminal-text';
import { QUESTION_TOOL } from './choice-dialog.ts';

/** What a run was started with. */
export interface Given {
  readonly repoPath: string;
  /** The rules of what runs unasked. */
  readonly allowedTools?: readonly string[];
}

/** Why something is not allowed where nobody can be asked, with the rule that would allow it where there is one. */
export function explainDenial(request: PermissionRequest, given: Given): string {
  const why = findReason(request, given);
  const rule = why === undefined || isOnlyOutside(request) ? suggestRule(request) : undefined;
  const { allowedTools = [] } = given;
  // What was given and did not help is no advice.
  const isNew =
    rule !== undefined && !allowedTools.includes(rule) && !allowedTools.includes(request.toolName);
  const cause = why ?? (isNew || allowedTools.length === 0 ? 'no rule allows it' : 'no rule covers it');
  const advice = isNew ? `; --allow ${quoteForShell(printable(rule))} would` : '';
  return `${cause}, and nobody is there to ask${advice}`;
}

/** Why no rule of the usual kind would allow it. */
function findReason({ toolName, reason, blockedPath }: PermissionRequest, given: Given): string | undefined {
  if (reason !== undefined && reason !== '' && !NO_REASON.test(reason)) {
    return shorten(reason.replace(/\s+/g, ' ').replace(/\.$/, ''), 300);
  }
  if (toolName !== 'Bash' || blockedPath === undefined || isInside(given.repoPath, blockedPath)) {
    return undefined;
  }
  return `it reaches outside the repository (${blockedPath})`;
}

/** What Claude Code says of every command that no rule allows. */
const NO_REASON = /^This command requires approval\.?$/i;

/** Claude Code asks for what is outside its folder, and a rule for the file does allow it. */
function isOnlyOutside({ toolName, reason }: PermissionRequest): boolean {
  return toolName in FILE_RULES && reason !== undefined && /^Path is outside allowed/i.test(reason);
}

function isInside(repoPath: string, path: string): boolean {
  const way = relative(resolveRepo(repoPath).path, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** The rules for files, by their tools: what may be written is told by `Edit` rules. */
const FILE_RULES: Readonly<Record<string, string>> = { Read: 'Read', Write: 'Edit', Edit: 'Edit' };

/** The narrowest simple rule that would have allowed a call, in the form that Claude Code takes. */
export function suggestRule({
  toolName,
  input,
}: Pick<PermissionRequest, 'toolName' | 'input'>): string | undefined {
  const { command, file_path: path, url } = input;
  if (toolName === QUESTION_TOOL) return undefined;
  if (toolName === 'Bash' && typeof command === 'string' && SIMPLE_COMMAND.test(command.trim())) {
    return `Bash(${command.trim()})`;
  }
  const fileRule = FILE_RULES[toolName];
  // A path from the root begins with two strokes in a rule.
  if (fileRule !== undefined && typeof path === 'string' && SIMPLE_PATH.test(path))
    return `${fileRule}(/${path})`;
  if (toolName === 'WebFetch' && typeof url === 'string' && URL.canParse(url)) {
    return `WebFetch(domain:${new URL(url).hostname})`;
  }
  return toolName;
}

/** Without anything that a shell, a rule or a terminal would read otherwise. */
const SIMPLE_COMMAND = /^(?:(?![;&|<>`$()*?[\]{}\\!#])[\x20-\x7e]){1,150}$/;
const SIMPLE_PATH = /^\/(?:(?![*?[\]{}()\\!])[\x20-\x7e\p{L}]){1,200}$/u;
