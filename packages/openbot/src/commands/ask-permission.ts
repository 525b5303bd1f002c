import { createInterface } from 'node:readline/promises';
import { type ClaudeRun, type PermissionRequest, printable } from '@openbot/claude-code';
import type { CommandInput } from './command.ts';

/** Asks the person at the terminal what Claude Code may do. Where nobody sits there, what no rule allows is denied. */
export function askForPermissions(run: ClaudeRun, { flags, isInteractive }: CommandInput): void {
  if (!isInteractive || flags.json) return;
  let last = Promise.resolve();
  run.onPermissionRequest((request) => {
    // One question at a time.
    last = last.then(() => ask(run, request));
  });
}

async function ask(run: ClaudeRun, request: PermissionRequest): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = printable(JSON.stringify(request.input) ?? '');
    const answer = await lines.question(`Allow ${printable(request.toolName)} ${what}? [y/N] `);
    const allowed = /^y(?:es)?$/i.test(answer.trim());
    run.respondToPermission(
      request.requestId,
      allowed ? { behavior: 'allow' } : { behavior: 'deny', message: 'The person said no.' },
    );
  } finally {
    lines.close();
  }
}
