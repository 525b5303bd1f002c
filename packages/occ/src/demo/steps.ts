import { DEMO_SESSION_ID } from './write-state.ts';

/** One command of the demo: as a person types it, and what its flags come to. */
export interface DemoStep {
  readonly name: string;
  readonly why: string;
  readonly command: 'list' | 'info' | 'edit' | 'restore' | 'clone';
  readonly words: readonly string[];
  readonly flags: { readonly stripTools?: true | string; readonly dryRun?: true };
}

/** The beginning of an id is enough. */
const SESSION = [DEMO_SESSION_ID.slice(0, 8)];

export const DEMO_STEPS: readonly DemoStep[] = [
  { name: 'list', why: 'Which sessions are there?', command: 'list', words: [], flags: {} },
  {
    name: 'infoBefore',
    why: 'The first one is large. Where does its context go?',
    command: 'info',
    words: SESSION,
    flags: {},
  },
  {
    name: 'dryRun',
    why: 'What would a clean do?',
    command: 'edit',
    words: SESSION,
    flags: { stripTools: true, dryRun: true },
  },
  { name: 'edit', why: 'Clean it.', command: 'edit', words: SESSION, flags: { stripTools: true } },
  { name: 'infoAfter', why: 'What is left?', command: 'info', words: SESSION, flags: {} },
  { name: 'restore', why: 'Undo the clean.', command: 'restore', words: SESSION, flags: {} },
  {
    name: 'clone',
    why: 'Or clean a copy and do not change the session.',
    command: 'clone',
    words: SESSION,
    flags: { stripTools: 'aggressive' },
  },
];

/** `occ edit 5e550a11 --strip-tools` */
export function formatStep({ command, words, flags }: DemoStep): string {
  const { stripTools, dryRun } = flags;
  return [
    'occ',
    command,
    ...words,
    ...(stripTools === undefined
      ? []
      : [stripTools === true ? '--strip-tools' : `--strip-tools=${stripTools}`]),
    ...(dryRun ? ['--dry-run'] : []),
  ].join(' ');
}
