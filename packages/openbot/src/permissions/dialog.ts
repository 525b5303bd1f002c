import type { PermissionAnswer, PermissionRequest } from '@openbot/claude-code';
import { printable } from '@openbot/sessions/terminal-text';
import { type QuestionPart, showBehindBar } from './question-rows.ts';

/** What the screen shows until a line is typed. */
export interface Prompt {
  readonly text: string;
  readonly prompt: string;
}

/** Yields a prompt, receives the typed line, and yields again or returns the answer. */
export type Dialog = Generator<Prompt, PermissionAnswer, string>;

/** Claude Code asks its own questions with this tool. It expects answers, not a permission. */
export const QUESTION_TOOL = 'AskUserQuestion';

/** The dialog for one request: a choice for Claude Code's own questions, otherwise allow or deny. */
export function openDialog(request: PermissionRequest, columns: number): Dialog {
  const choices = readChoices(request);
  return choices === undefined ? askWhether(request, columns) : askChoices(choices, request, columns);
}

/** A risky request, or one that is shown only in part, requires the whole word: a stray key must not allow it. */
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
  const line = yield { text, prompt: `Allow ${printable(toolName)}? ${wantsWord ? '[yes/N]' : '[y/N]'} ` };
  return (wantsWord ? /^yes$/i : /^y(?:es)?$/i).test(line.trim())
    ? { behavior: 'allow' }
    : { behavior: 'deny', message: 'The person said no.' };
}

interface Choice {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: unknown }[];
  readonly multiSelect?: unknown;
}

/** Undefined if the request is not a question, or not in the known form. */
function readChoices({ toolName, input }: PermissionRequest): readonly Choice[] | undefined {
  const { questions } = input as { questions?: unknown };
  if (toolName !== QUESTION_TOOL || !Array.isArray(questions)) return undefined;
  return questions.length > 0 && questions.every(isChoice) ? questions : undefined;
}

function isChoice(value: Partial<Choice> | null): boolean {
  const { question, options } = value ?? {};
  return (
    typeof question === 'string' &&
    Array.isArray(options) &&
    options.length > 0 &&
    options.every((option) => typeof option?.label === 'string')
  );
}

/** Shows each question with its options. A number chooses an option, other text is the answer itself, an empty line skips. */
function* askChoices(choices: readonly Choice[], { input }: PermissionRequest, columns: number): Dialog {
  const answers: Record<string, string> = {};
  for (const choice of choices) {
    let { text } = showBehindBar(listParts(choice), columns);
    for (;;) {
      const line: string = yield { text, prompt: describePrompt(choice) };
      const answer = readAnswer(line.trim(), choice);
      if (answer === '') break;
      if (answer !== undefined) {
        answers[choice.question] = answer;
        break;
      }
      text = '';
    }
  }
  if (Object.keys(answers).length === 0) return { behavior: 'deny', message: 'The person did not answer.' };
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}

function listParts({ question, options }: Choice): QuestionPart[] {
  return [
    ['', question],
    ...options.map(({ label, description }, at): QuestionPart => {
      const more = typeof description === 'string' && description !== '' ? `: ${description}` : '';
      return ['', `${at + 1}. ${label}${more}`];
    }),
  ];
}

function describePrompt({ options, multiSelect }: Choice): string {
  const numbers = options.length === 1 ? '1' : `1-${options.length}`;
  return `Your answer [${numbers}${multiSelect ? ', several with commas' : ''}, or words; none skips it]: `;
}

/** Undefined if a number names no option. */
function readAnswer(line: string, { options, multiSelect }: Choice): string | undefined {
  if (!/^\d+(?:[\s,]+\d+)*$/.test(line)) return line;
  const labels = line.split(/[\s,]+/).map((number) => options[Number(number) - 1]?.label);
  if (labels.includes(undefined) || (labels.length > 1 && !multiSelect)) return undefined;
  return [...new Set(labels)].join(', ');
}
