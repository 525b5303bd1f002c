import { cutAt } from './truncate-text.ts';

/** A status is one short line; some go on with advice. */
const LONGEST_STATUS = 60;

/**
 * How a command ended, as agents write it behind its output:
 * - OpenClaw: `(Command exited with code 7)`, `Command timed out after 30 seconds. If this …`, `Command aborted by signal
 *   SIGTERM`, `Command not found`, `Process exited with code 1.`
 * - pi: the same without brackets, `Command aborted`, `Command terminated without an exit code`
 * - Claude Code: `<error>…</error>`. Its `Exit code 1` is the first line.
 */
const STATUS =
  /^(?:\((?:Command|Process) .*\)|(?:Command|Process) (?:exited|timed out|aborted|terminated|not found|not executable|was|failed|still running)\b.*|\(command cancelled\)|<error>.*<\/error>)$/;

/** An output without the line that says how its command ended, and that line, where it is the last one. */
export function splitStatus(output: string): { readonly body: string; readonly status: string } | undefined {
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
