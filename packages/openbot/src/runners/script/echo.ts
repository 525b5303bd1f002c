/** `script/echo`: for people without a key. It does a few things for real, and never pretends to think. */
import type { ToolResult } from '../../tools/contract.ts';
import { spokenIn } from './compaction.ts';
import { type Answer, describeImages, type Question, type ScriptStep } from './script.ts';

const PATH = String.raw`["'\x60]?([\w./-]*[\w/-])["'\x60]?`;
const FILE = String.raw`["'\x60]?([\w/-]*[\w-]+(?:\.[\w-]+)+|[\w-]+/[\w./-]+)["'\x60]?`;

interface Skill {
  readonly when: RegExp;
  answer(found: RegExpExecArray, question: Question): Answer;
}

/** No line of it is a person's. */
const FLUSH = /^System: (?:\[[^\]\n]*\] )?pre-compaction memory flush/im;

/** The first that matches answers. */
const SKILLS: readonly Skill[] = [
  { when: /\bHEARTBEAT_OK\b/, answer: () => say('HEARTBEAT_OK') },
  {
    when: new RegExp(
      String.raw`\bwrite\s+(["'\x60]?)([\s\S]+?)\1\s+(?:to|into|in)\s+(?:the\s+)?(?:file\s+)?${FILE}`,
      'i',
    ),
    answer: ([, , content, path]) => useTool('write_file', { path, content }, ({ text }) => text),
  },
  {
    when: new RegExp(
      String.raw`\b(?:make|create|write)\s+(?:a\s+|the\s+)?(?:file\s+)?${FILE}\s+(?:with|containing|saying|:)\s*([\s\S]+)`,
      'i',
    ),
    answer: ([, path, content]) => useTool('write_file', { path, content }, ({ text }) => text),
  },
  {
    when: new RegExp(String.raw`\b(?:read|show|open|print|cat)\b(?:\s+\w+){0,3}?\s+${FILE}`, 'i'),
    answer: ([, path]) => useTool('read_file', { path }, ({ text }) => `${path}:\n\n${text}`),
  },
  {
    when: new RegExp(
      String.raw`\b(?:list|show|which|what)\b[^.?!]*\bfiles?\b(?:[^.?!]*?\bin\s+(?:the\s+folder\s+)?(?!the\b|this\b|your\b|my\b)${PATH})?|^\s*ls\b`,
      'i',
    ),
    answer: ([, path]) =>
      useTool(
        'list_files',
        path === undefined ? {} : { path },
        ({ text }) => `${path === undefined ? 'The workspace' : path} has:\n\n${text}`,
      ),
  },
  {
    when: /\b(?:did|have) (?:I|we)\b.*\b(?:say|said|tell|told|write|written|wrote|ask|asked|talk|mention)|\bremember\b|\bearlier\b|\b(?:first|last|previous) message\b|\bwhat(?:'s| is| was) my\b/i,
    answer: (_found, question) => recall(question),
  },
  {
    when: /\b(?:who|what) are you\b|\bwhat can you do\b|^\s*help\b|\bwhich model\b/i,
    answer: (_found, { model }) => say(introduction(model)),
  },
];

export function answerAsEcho(question: Question): Answer {
  if (FLUSH.test(question.prompt)) return say('NO_REPLY');
  const prompt = wordsOfPerson(question.prompt);
  // Some patterns take time that grows with the square of the length.
  if (prompt.length > LONGEST_REQUEST) return say(echo(prompt, question));
  for (const { when, answer } of SKILLS) {
    const found = when.exec(prompt);
    if (found !== null) return answer(found, { ...question, prompt });
  }
  return say(echo(prompt, question));
}

const LONGEST_REQUEST = 2000;
const MOST_READ = 20_000;

function echo(prompt: string, { model, images }: Question): string {
  const shown = images.length === 0 ? '' : `\n\nYou showed: ${describeImages(images)}`;
  return `You said: ${prompt === '' ? '(nothing)' : clip(prompt)}${shown}\n\n${introduction(model)}`;
}

function introduction(model: string): string {
  return `I am script/${model}, a scripted model that works offline: I do not understand language. I can list the files of the workspace ("list the files"), read one ("read notes.txt"), write one ("write hello to notes.txt") and find what you said earlier ("what did I say about …?"). A model that understands language is chosen with agents.defaults.model in openbot.json.`;
}

/** Without what OpenBot puts around a message: events, the history of a group, names of senders. */
function wordsOfPerson(prompt: string): string {
  const current = prompt
    .slice(-MOST_READ)
    .split(/^\[Current message[^\]]*\]\s*$/m)
    .at(-1)!;
  const [message = ''] = current.split(/^Untrusted context \(/m);
  const lines = message
    .split('\n')
    .filter((line) => !/^(?:System:|\[from:|\[media (?:attached|not received))/.test(line));
  return lines
    .join('\n')
    .trimStart()
    .replace(/^\[[^\]\n]*\d{4}-\d\d-\d\d[^\]\n]*\]\s*/, '')
    .trim();
}

async function* say(text: string): Answer {
  yield { text };
}

async function* useTool(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  describe: (result: ToolResult) => string,
): Answer {
  const [result] = yield { tool, args };
  const step: ScriptStep = {
    text: result!.isError ? `That did not work. ${result!.text}` : describe(result!),
  };
  yield step;
}

const COMMON = new Set(
  'a about an and are ask asked did do does earlier first have i in is it last me message my of on previous remember said say tell the to told was we what when where which who write wrote you'.split(
    ' ',
  ),
);
const MOST_QUOTES = 3;

/** Quotes the earlier messages of the person that share most words with the question; the last ones when none does. */
async function* recall({ prompt, readContext }: Question): Answer {
  const context = await readContext();
  const said = context.flatMap(({ message }) =>
    message.role === 'user' ? [wordsOfPerson(spokenIn(message.content))] : [],
  );
  // The last one is the question itself.
  const earlier = said.slice(0, -1).filter((text) => text !== '');
  if (earlier.length === 0) {
    yield { text: 'This is the first message of our conversation.' };
    return;
  }
  const wanted = wordsOf(prompt);
  const scored = earlier.map((text, at) => ({
    text,
    at,
    score: [...wordsOf(text)].filter((word) => wanted.has(word)).length,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  const chosen = /\bfirst\b/i.test(prompt)
    ? earlier.slice(0, 1)
    : scored
        .filter(({ score }) => score === best)
        .map(({ text }) => text)
        .slice(-MOST_QUOTES);
  yield {
    text: `You said:\n\n${chosen.map((text) => `> ${clip(text).replaceAll('\n', '\n> ')}`).join('\n\n')}`,
  };
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)));
}

function clip(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 499).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
