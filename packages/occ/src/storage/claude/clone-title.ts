import { activePath, redactSecrets, type Transcript, turnsOf } from '@openbot/sessions';
import { extractSpokenText } from '@openbot/sessions/transcript';

/** What Claude Code keeps of a title. */
const MOST_CHARACTERS = 200;
const MOST_OF_PROMPT = 80;
/** Longer than most secrets: half of one is not recognised any more. */
const MOST_LOOKED_AT = 4096;
const ENDING = / \((?:clone|cleaned)(?: (\d+))?\)$/;

/** The line by which Claude Code's own lists tell a clone from its original. */
export function cloneTitleLine(clone: {
  readonly title: string | undefined;
  readonly isCleaned: boolean;
  readonly transcript: Transcript;
  readonly readLine: (index: number) => string;
  readonly newSessionId: string;
}): string {
  const { title, transcript, readLine, newSessionId } = clone;
  const base = title ?? readFirstPrompt(transcript, readLine) ?? 'Session';
  const customTitle = nameClone(base, clone.isCleaned ? 'cleaned' : 'clone');
  return `${JSON.stringify({ type: 'custom-title', customTitle, sessionId: newSessionId })}\n`;
}

/** A clone of a clone counts on. */
function nameClone(title: string, word: 'clone' | 'cleaned'): string {
  const plain = title.replace(/\p{Cc}/gu, ' ').trim();
  const earlier = ENDING.exec(plain);
  const ending = earlier === null ? ` (${word})` : ` (${word} ${Number(earlier[1] ?? 1) + 1})`;
  const base = [...plain.replace(ENDING, '')].slice(0, MOST_CHARACTERS - ending.length).join('');
  return `${base}${ending}`;
}

function readFirstPrompt(transcript: Transcript, readLine: (index: number) => string): string | undefined {
  const { entries } = activePath(transcript);
  const turn = turnsOf(transcript, entries).find(({ startsWithPerson }) => startsWithPerson);
  if (turn === undefined) return undefined;
  const prompt = readWords(readLine(entries[turn.first]!)).trim().slice(0, MOST_LOOKED_AT);
  const text = redactSecrets(prompt).replace(/\s+/g, ' ').trim();
  if (text === '') return undefined;
  const characters = [...text];
  return characters.length <= MOST_OF_PROMPT ? text : `${characters.slice(0, MOST_OF_PROMPT).join('')}…`;
}

function readWords(line: string): string {
  try {
    return extractSpokenText(JSON.parse(line))?.text ?? '';
  } catch {
    return '';
  }
}
