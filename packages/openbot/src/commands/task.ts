import { OpenBotError } from '@openbot/sessions';
import type { CommandInput } from './command.ts';

/** The task of a command: its word, or what standard input holds where that word is a dash. */
export async function readTask(input: CommandInput, command: string): Promise<string> {
  const [word = ''] = input.words;
  if (word !== '-') return checkTask(word, 'What is the task?', command);
  if (input.isInteractive) input.terminal.writeError('Type the task. Ctrl-D on a line of its own ends it.\n');
  const task = await input.readInput();
  return checkTask(task.trim(), 'There is no task on standard input', command);
}

function checkTask(task: string, complaint: string, command: string): string {
  if (task.trim() !== '') return task;
  const example = `openbot ${command} "fix the failing login test"`;
  throw new OpenBotError('USAGE', complaint, {
    hint: `Example: ${example}, or: openbot ${command} - < task.md`,
  });
}
