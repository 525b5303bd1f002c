import { type FileReading, type InjectedFile, readWorkspaceFiles } from './workspace-files.ts';

/** For an agent that can write to its workspace. */
export const MEMORY_ADVICE =
  'You forget a conversation when it ends. Write what you will need later to memory/YYYY-MM-DD.md, with the date of the day.';

/** What a conversation knows of its agent and its place, and what may change while it goes on. */
export interface PromptFacts {
  readonly name: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** Absent in a prefix of an earlier version. */
  readonly workspaceDir?: string;
  readonly stateDir?: string;
  readonly isReadOnly: boolean;
  /** Text of the configuration. */
  readonly systemPrompt?: string;
  readonly skills?: string;
  /** Names. Absent in a prefix of an earlier version. */
  readonly tools?: string;
  /** Of the runner's own program: names, or `all`. Absent where it has none. */
  readonly ownTools?: string;
  readonly groupIntro?: string;
  readonly extra?: string;
  /** Texts of the workspace's files as the model reads them, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** `2026-11-16` */
  readonly date?: string;
  readonly timeZone?: string;
  /** Undefined where a message came from no chat network. */
  readonly channel?: string;
}

/** The files as they are now. Cheap where none has changed. */
export function readFiles(workspaceDir: string, reading: FileReading): PromptFacts['files'] {
  return textsOfFiles(readWorkspaceFiles(workspaceDir, reading));
}

/** What the text of a prompt says. The rest is told with a message. */
export function factsInPrompt({ date, timeZone, channel, ...facts }: PromptFacts): PromptFacts {
  return facts;
}

export function textsOfFiles(files: readonly InjectedFile[]): Record<string, string> {
  return Object.fromEntries(files.filter(({ text }) => text !== '').map(({ name, text }) => [name, text]));
}
