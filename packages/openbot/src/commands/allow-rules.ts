import { OpenBotError } from '@openbot/sessions';
import type { CommandInput } from './command.ts';

/** The rules of `--allow`, which can be given several times. Commas part them, but not inside their brackets. */
export function readRules({ flags }: Pick<CommandInput, 'flags'>): string[] {
  const { allow = [] } = flags;
  const rules = Array.isArray(allow) ? (allow as readonly string[]).flatMap(splitRules) : [];
  const wrong = rules.find((rule) => !RULE.test(rule));
  if (wrong === undefined) return rules;
  throw new OpenBotError('USAGE', `--allow does not understand '${wrong}'`, {
    hint: "A rule is a tool, or a tool with what it may do: --allow 'Read,Bash(git status:*)'",
  });
}

const RULE = /^[\p{L}\w.*-]+(?:\(.+\))?$/su;

function splitRules(text: string): string[] {
  const rules = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth <= 0) rules.push('');
    else rules[rules.length - 1] += char;
  }
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== '');
}
