import type { CommandInput } from '@openbot/sessions/command-line';
import type { Asker } from '../../permissions/contract.ts';
import { readsInput } from './agent-input.ts';
import type { AGENT_FLAGS } from './flags.ts';

/** Questions to the person at the terminal while an agent runs. */
export interface TerminalQuestions {
  readonly asker: Asker;
  /** Resolves when no question is on the screen. */
  whenFree(): Promise<void>;
  /** Leaves the terminal without an answer. */
  leave(): void;
  /** Call it when the run is over. */
  end(): void;
}

/** Undefined without a terminal, and for output that a program reads. */
export async function openTerminalQuestions(
  { flags, isInteractive }: CommandInput<typeof AGENT_FLAGS>,
  onInterrupt: () => void,
): Promise<TerminalQuestions | undefined> {
  const holdsTask = readsInput(flags);
  if (flags.json || !(holdsTask ? process.stderr.isTTY : isInteractive)) return undefined;
  const [{ findAnswerSource }, { TerminalAsker }] = await Promise.all([
    import('../../permissions/permission-desk.ts'),
    import('../../permissions/terminal-asker.ts'),
  ]);
  const answers = findAnswerSource({ holdsTask, isInteractive });
  if (answers === undefined) return undefined;
  const asker = new TerminalAsker({ openInput: answers.open, output: process.stderr, onInterrupt });
  const { desk } = asker;
  return {
    asker,
    whenFree: () => desk.whenFree(),
    leave: () => desk.leave(),
    end: () => {
      desk.leave();
      answers.close();
    },
  };
}
