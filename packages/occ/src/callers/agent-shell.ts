import { OpenBotError } from '@openbot/sessions';
import { isGiven } from '../layout/state-folder.ts';
import type { SearchScope, SourceName } from '../storage/contract/found-session.ts';

interface AgentShell {
  readonly source: SourceName;
  readonly title: string;
  /** Any of them set: the command runs in a shell of that agent. */
  readonly variables: readonly string[];
  /** How an agent in it learns the name of its own session. */
  readonly advice: string;
}

const SHELLS: readonly AgentShell[] = [
  {
    source: 'openclaw',
    title: 'OpenClaw',
    variables: ['OPENCLAW_SHELL'],
    advice:
      'OpenClaw names yours in the prompt (session=<key>, sessionId=<id>). A command is recognised where it is the call itself, not where a script runs it.',
  },
  {
    source: 'pi',
    title: 'pi',
    variables: ['PI_CODING_AGENT'],
    advice: 'A command is recognised where it is the call itself, not where a script runs it.',
  },
  {
    source: 'claude',
    title: 'Claude Code',
    variables: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
    advice: 'Claude Code names yours in CLAUDE_CODE_SESSION_ID.',
  },
];

export function isInShellOf(source: SourceName, { env }: Pick<SearchScope, 'env'>): boolean {
  return SHELLS.some((shell) => shell.source === source && isOpen(shell, env));
}

/** In an agent's shell the most recently active session may be somebody else's: it has to be named. */
export function refuseToGuess({ env }: Pick<SearchScope, 'env'>): void {
  const shell = SHELLS.find((one) => isOpen(one, env));
  if (shell === undefined) return;
  throw new OpenBotError(
    'SESSION_NOT_NAMED',
    `This is a shell of ${shell.title}, and none of its sessions was recognised as the caller: the session must be named`,
    { hint: `Give its id, key or path; 'occ list' shows the sessions. ${shell.advice}` },
  );
}

function isOpen({ variables }: AgentShell, env: SearchScope['env']): boolean {
  return variables.some((name) => isGiven(env[name]));
}
