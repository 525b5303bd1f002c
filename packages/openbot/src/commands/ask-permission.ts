import { createInterface } from 'node:readline';
import { type ClaudeRun, type PermissionRequest, printable } from '@openbot/claude-code';

/** Who is asked: the terminal's two ends. */
export interface Questioned {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

type Asked = Pick<ClaudeRun, 'onPermissionRequest' | 'respondToPermission' | 'onEvent' | 'abort'>;

/**
 * Asks the person at the terminal what Claude Code may do, one question at a time. What was typed before a question was
 * shown answers nothing. Ctrl-C aborts the run; the end of the input means no. To be called when the run is over.
 */
export function askForPermissions(run: Asked, { input, output }: Questioned): () => void {
  const open: PermissionRequest[] = [];
  const lines = createInterface({ input, output });
  const show = () => {
    const [request] = open;
    if (request !== undefined) output.write(describe(request));
  };
  const settle = (requestId: string) => {
    const at = open.findIndex((request) => request.requestId === requestId);
    if (at < 0) return;
    open.splice(at, 1);
    if (at === 0) show();
  };
  const answer = (line: string | undefined) => {
    const [request] = open;
    if (request === undefined) return;
    const isYes = line !== undefined && (request.isRisky ? /^yes$/i : /^y(?:es)?$/i).test(line.trim());
    run.respondToPermission(
      request.requestId,
      isYes ? { behavior: 'allow' } : { behavior: 'deny', message: 'The person said no.' },
    );
    settle(request.requestId);
  };
  lines.on('line', answer);
  lines.on('SIGINT', () => run.abort());
  lines.on('close', () => {
    while (open.length > 0) answer(undefined);
  });
  run.onPermissionRequest((request) => {
    open.push(request);
    if (open.length === 1) show();
  });
  run.onEvent((event) => {
    if (event.type === 'permission-settled') settle(event.requestId);
  });
  return () => lines.close();
}

function describe({ toolName, input, title, reason, blockedPath, isRisky }: PermissionRequest): string {
  const what = `${toolName} ${JSON.stringify(input) ?? ''}`;
  const more = [title, reason, blockedPath].filter((text) => text !== undefined && text !== '');
  const lines = [...more.map((text) => `  ${printable(text!)}`), `Allow ${printable(what)}?`];
  return `${lines.join('\n')} ${isRisky ? '[yes/N]' : '[y/N]'} `;
}
