import type { PermissionRequest } from '@openbot/claude-code';
import type { Dialog } from './dialog.ts';
import { type QuestionPart, showBehindBar } from './question-rows.ts';

/** The tool by which Claude Code itself asks. It wants answers, not a permission. */
export const QUESTION_TOOL = 'AskUserQuestion';

interface Choice {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: unknown }[];
  readonly multiSelect?: unknown;
}

/** The questions of a request; undefined where it is none, or not in the form that is known. */
export function readChoices({ toolName, input }: PermissionRequest): readonly Choice[] | undefined {
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

/** Each question with its options. A number chooses one; other words are an answer of their own; nothing is none. */
export function* askChoices(
  choices: readonly Choice[],
  { input }: PermissionRequest,
  columns: number,
): Dialog {
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

/** Undefined for a number that is not there. */
function readAnswer(line: string, { options, multiSelect }: Choice): string | undefined {
  if (!/^\d+(?:[\s,]+\d+)*$/.test(line)) return line;
  const labels = line.split(/[\s,]+/).map((number) => options[Number(number) - 1]?.label);
  if (labels.includes(undefined) || (labels.length > 1 && !multiSelect)) return undefined;
  return [...new Set(labels)].join(', ');
}
