import { createInterface, type Interface } from 'node:readline';
import type { ClaudeRun, PermissionRequest } from '@openbot/claude-code';
import { showLine } from './tool-call.ts';

/** Who is asked: the terminal's two ends. */
export interface Questioned {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Ctrl-C at a question, which the terminal does not turn into a signal then. */
  onInterrupt(): void;
}

type Asked = Pick<ClaudeRun, 'onPermissionRequest' | 'respondToPermission' | 'onEvent'>;

/** By then what was typed before the question has arrived, and what happened before it has been told. */
const PAUSE_MS = 50;

/**
 * Asks the person at the terminal what Claude Code may do, one question at a time. What was typed before a question was
 * shown answers nothing; the end of the input means no, from then on. The terminal is taken with the first question, so
 * that a run in the background stops for that alone. What is returned is to be called when the run is over.
 */
export function askForPermissions(run: Asked, { input, output, onInterrupt }: Questioned): () => void {
  const open: PermissionRequest[] = [];
  let lines: Interface | undefined;
  let isShown = false;
  let isOver = false;

  const show = () => {
    const [request] = open;
    if (request === undefined || isShown || isOver || lines === undefined) return;
    isShown = true;
    // Half a line of before is not the beginning of the answer.
    if (lines.terminal) lines.write(null, { ctrl: true, name: 'u' });
    output.write(describe(request));
    lines.setPrompt(`Allow ${showLine(request.toolName)}? ${request.isRisky ? '[yes/N]' : '[y/N]'} `);
    lines.prompt();
  };
  const settle = (requestId: string, isAnswered: boolean) => {
    const at = open.findIndex((request) => request.requestId === requestId);
    if (at < 0) return;
    open.splice(at, 1);
    if (at > 0) return;
    if (isShown && !isAnswered) output.write('\n');
    isShown = false;
    lines?.setPrompt('');
    show();
  };
  const answer = (line: string | undefined) => {
    const [request] = open;
    if (request === undefined || (!isShown && line !== undefined)) return;
    const isYes = line !== undefined && (request.isRisky ? /^yes$/i : /^y(?:es)?$/i).test(line.trim());
    // The event that follows finds it settled.
    settle(request.requestId, line !== undefined);
    run.respondToPermission(
      request.requestId,
      isYes ? { behavior: 'allow' } : { behavior: 'deny', message: 'The person said no.' },
    );
  };
  const takeTerminal = () => {
    lines = createInterface({ input, output, prompt: '' });
    lines.on('line', answer);
    lines.on('SIGINT', onInterrupt);
    lines.on('close', () => {
      isOver = true;
      while (open.length > 0) answer(undefined);
    });
  };
  run.onPermissionRequest((request) => {
    open.push(request);
    if (isOver) return answer(undefined);
    if (lines === undefined) takeTerminal();
    setTimeout(show, PAUSE_MS);
  });
  run.onEvent((event) => {
    if (event.type === 'permission-settled') settle(event.requestId, false);
  });
  return () => {
    isOver = true;
    lines?.close();
  };
}

/** A text longer than this is not read to its end by anybody; how much is missing is said. */
const MOST_SHOWN = 4000;

/** All that is to be allowed. The bar marks what others wrote: no text can forge a question. */
function describe({ input, title, reason, blockedPath }: PermissionRequest): string {
  const parts: [name: string, value: unknown][] = [
    ['', title],
    ['why', reason],
    ['path', blockedPath],
    ...Object.entries(input),
  ];
  const lines = parts.flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    const [first, ...rest] = showValue(value);
    return [`${name === '' ? '' : `${showLine(name)}: `}${first}`, ...rest.map((line) => `  ${line}`)];
  });
  return lines.map((line) => `  │ ${line}\n`).join('');
}

function showValue(value: unknown): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const lines = text.slice(0, MOST_SHOWN).split(/\r?\n/).map(showLine);
  const hidden = text.length - MOST_SHOWN;
  return hidden > 0 ? [...lines, `… and ${hidden} more characters, not shown`] : lines;
}
