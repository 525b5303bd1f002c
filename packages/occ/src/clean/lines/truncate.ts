import { TRUNCATION_LIMITS } from '../tool-removal.ts';

/**
 * The text as it is when it is within the limits; otherwise its beginning and the marker, together within them. A
 * shortened text is within the limits, so that the next clean leaves it alone.
 * @param isMore something that is not in the text is removed too, so the marker is always added
 */
export function truncateText(text: string, marker: string, isMore = false): string {
  const head = firstLines(text);
  const isWhole = head.length === text.length;
  if (isWhole && !isMore && text.length <= TRUNCATION_LIMITS.maxChars) return text;
  // A line end before the marker would make it a line of its own.
  const unended = head.endsWith('\n') ? head.slice(0, -1) : head;
  return cutAt(unended, TRUNCATION_LIMITS.maxChars - marker.length) + marker;
}

function firstLines(text: string): string {
  let end = -1;
  for (let line = 0; line < TRUNCATION_LIMITS.maxLines; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text;
  }
  // A line end at the very end begins no further line.
  return end === text.length - 1 ? text : text.slice(0, end);
}

/** At most `length` units, and never half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.max(0, length);
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}

type ResultContent = string | readonly unknown[];

/**
 * A result's content as one text within the limits. Text is what the blocks say, one after the other; an image, or any
 * other block too large to stay, is named in brackets.
 */
export function truncateToolResult(content: ResultContent): string {
  const { text, isMore } = readContent(content);
  return truncateOutput(text, isMore);
}

/**
 * An output within the limits. If its last line says how the command ended, it becomes the second line: without it a
 * failed command would look like one that succeeded.
 * @param isMore something that is not in the text is removed too, so the marker is always added
 */
function truncateOutput(output: string, isMore = false): string {
  const { contentMarker, maxChars } = TRUNCATION_LIMITS;
  const whole = truncateText(output, contentMarker, isMore);
  const split = whole === output ? undefined : splitStatus(output);
  if (split === undefined) return whole;
  const { body, status } = split;
  const room = maxChars - status.length - 1;
  const first = body.split('\n', 1)[0]!;
  const isCut = isMore || first.length < body.length || first.length > room;
  return `${isCut ? cutAt(first, room - contentMarker.length) + contentMarker : first}\n${status}`;
}

/**
 * The new content of a result, of the same kind: text for text, blocks for blocks. Returns the same value if nothing is
 * cut. Small blocks of unknown kinds stay.
 */
export function truncateContent(content: unknown): unknown {
  if (typeof content === 'string') return truncateToolResult(content);
  if (!Array.isArray(content)) return content;
  const { text, isMore, small } = readContent(content);
  const shortened = truncateOutput(text, isMore);
  if (shortened === text) return content;
  return [{ type: 'text', text: shortened }, ...small];
}

interface ReadContent {
  text: string;
  /** Whether a block other than text is removed. */
  isMore: boolean;
  small: unknown[];
}

function readContent(content: ResultContent): ReadContent {
  if (typeof content === 'string') return { text: content, isMore: false, small: [] };
  const texts: string[] = [];
  const small: unknown[] = [];
  let isMore = false;
  for (const block of content) {
    const { type, text } = (typeof block === 'object' && block !== null ? block : {}) as Record<
      string,
      unknown
    >;
    if (type === 'text' && typeof text === 'string') texts.push(text);
    else if (type !== 'image' && JSON.stringify(block).length <= TRUNCATION_LIMITS.maxChars)
      small.push(block);
    else {
      texts.push(`[${typeof type === 'string' ? type.slice(0, 20) : 'other'}]`);
      isMore = true;
    }
  }
  return { text: texts.join('\n'), isMore, small };
}

/** A status is one short line; some are followed by advice. */
const LONGEST_STATUS = 60;

/**
 * How a command ended, as agents write it after its output:
 * - OpenClaw: `(Command exited with code 7)`, `Command timed out after 30 seconds. If this …`, `Command aborted by signal
 *   SIGTERM`, `Command not found`, `Process exited with code 1.`
 * - pi: the same without brackets, `Command aborted`, `Command terminated without an exit code`
 * - Claude Code: `<error>…</error>`. Its `Exit code 1` is the first line.
 */
const STATUS =
  /^(?:\((?:Command|Process) .*\)|(?:Command|Process) (?:exited|timed out|aborted|terminated|not found|not executable|was|failed|still running)\b.*|\(command cancelled\)|<error>.*<\/error>)$/;

/** Splits off the last line if it says how the command ended. */
function splitStatus(output: string): { readonly body: string; readonly status: string } | undefined {
  const ended = output.trimEnd();
  const start = ended.lastIndexOf('\n') + 1;
  const line = ended.slice(start);
  if (start === 0 || !STATUS.test(line)) return undefined;
  return { body: ended.slice(0, start).trimEnd(), status: shorten(line) };
}

function shorten(line: string): string {
  if (line.length <= LONGEST_STATUS) return line;
  const [sentence = line] = line.split('. ');
  return cutAt(sentence, LONGEST_STATUS);
}

/** A larger object is data and not a form that a program reads. */
const LARGEST_FORM = 1000;

/**
 * A second copy of arguments or output, which programs show and the model never gets. It keeps its form: texts are
 * shortened, lists are emptied, numbers and flags stay. Returns the same value if nothing is cut.
 */
export function truncateCopy(value: unknown): unknown {
  const size = JSON.stringify(value)?.length ?? 0;
  if (size <= TRUNCATION_LIMITS.maxChars) return value;
  const cut = cutValue(value);
  const after = JSON.stringify(cut).length;
  if (after > LARGEST_FORM) return {};
  return after < size ? cut : value;
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string') return truncateOutput(value);
  if (Array.isArray(value)) return isSmall(value) ? value : [];
  if (typeof value !== 'object' || value === null || isSmall(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutValue(member)]));
}

function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length <= TRUNCATION_LIMITS.maxChars;
}
