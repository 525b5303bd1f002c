import type { AskedQuestion } from '../outbox/reply-payload.ts';
import type { Answer, Question } from '../permissions/contract.ts';
import { describeSeconds } from '../permissions/policy.ts';
import { showBehindBar } from '../permissions/question-rows.ts';

/** Of a narrow screen. */
const COLUMNS = 60;

/** What the model wrote is behind a bar, so that none of it can pass for the question. */
export function writeQuestion(
  id: string,
  { toolName, arguments: args, always, timeoutMs }: Question,
): string {
  const { text } = showBehindBar([['', toolName], ...Object.entries(args)], COLUMNS);
  const minutes = describeSeconds(timeoutMs / 1000);
  const more =
    always === undefined ? '' : `\n"always ${id}" also allows this for the rest of the session: ${always}`;
  return `Permission needed [${id}]. The agent wants to use:\n${text}Answer "yes ${id}" or "no ${id}" within ${minutes}.${more}`;
}

/** What can be answered, in the words that `parseAnswer` reads. */
export function listAnswers(id: string, { always }: Pick<Question, 'always'>): AskedQuestion['answers'] {
  return [
    { word: `yes ${id}`, label: 'Allow' },
    ...(always === undefined ? [] : [{ word: `always ${id}`, label: 'Always allow' }]),
    { word: `no ${id}`, label: 'Deny' },
  ];
}

export type QuestionEnd = Answer | 'timeout' | 'withdrawn' | 'lost';

export function writeEnd(id: string, end: QuestionEnd, { always }: Pick<Question, 'always'> = {}): string {
  switch (end) {
    case 'yes':
      return `[${id}] Allowed.`;
    case 'always':
      return always === undefined
        ? `[${id}] Allowed this once: there is no rule for it that would not allow more.`
        : `[${id}] Allowed, and for the rest of the session: ${always}`;
    case 'no':
      return `[${id}] Not allowed.`;
    case 'timeout':
      return `[${id}] No answer came in time, so it was not allowed.`;
    case 'withdrawn':
      return `[${id}] The question is withdrawn: the run that asked has ended.`;
    case 'lost':
      return `[${id}] The process that asked ended before it had an answer, so nothing was allowed. If it is still needed, the agent asks again.`;
  }
}

export function writeLate(end: string): string {
  return `That question is closed. ${end}`;
}
