import type { PermissionRequest } from '@openbot/claude-code';
import { askChoices, readChoices } from './choice-dialog.ts';
import type { Dialog } from './dialog.ts';
import { type QuestionPart, showBehindBar } from './question-rows.ts';
import { showLine } from './tool-call.ts';

/** What a person is asked because of a request. */
export function openDialog(request: PermissionRequest, columns: number): Dialog {
  const choices = readChoices(request);
  return choices === undefined ? askWhether(request, columns) : askChoices(choices, request, columns);
}

/** What is risky, or not shown to its end, is not allowed by a stray key. */
function* askWhether(request: PermissionRequest, columns: number): Dialog {
  const { toolName, input, title, reason, blockedPath, isRisky } = request;
  const parts: QuestionPart[] = [
    ['', title],
    ['why', reason],
    ['path', blockedPath],
    ...Object.entries(input),
  ];
  const { text, isWhole } = showBehindBar(
    parts.filter(([, value]) => value !== undefined && value !== ''),
    columns,
  );
  const wantsWord = isRisky || !isWhole;
  const line = yield { text, prompt: `Allow ${showLine(toolName)}? ${wantsWord ? '[yes/N]' : '[y/N]'} ` };
  return (wantsWord ? /^yes$/i : /^y(?:es)?$/i).test(line.trim())
    ? { behavior: 'allow' }
    : { behavior: 'deny', message: 'The person said no.' };
}
