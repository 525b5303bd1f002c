import fc from 'fast-check';
import { type ComposedEvent, composeSession, type SessionComposer } from './compose-session.ts';
import { addOpening } from './compose-turns.ts';

interface Step {
  readonly kind: keyof typeof STEPS;
  readonly flag: boolean;
  readonly text: string;
  /** Which of the entries so far; null before the first. */
  readonly chosen: string | null;
}

const NOWHERE = '00000000-0000-4000-8000-000000000000';

function addCalls(session: SessionComposer, { text, flag }: Step): void {
  session.addAssistant({
    calls: flag ? [{ path: 'a.txt' }, { command: 'ls' }] : [{ path: 'b.txt' }],
    ...(flag ? { thinking: 'Let me look.' } : { text: 'I read it.' }),
    contextUsage: flag,
  });
  session.addResult(text, { isError: text === '' });
  if (flag) session.addResult(`${text}!`);
}

const STEPS = {
  turn(session: SessionComposer, step: Step): void {
    session.addUser(`ask ${step.text}`, { asBlocks: step.flag });
    addCalls(session, step);
    session.addCacheTtl();
    session.addAssistant({ text: `answer ${step.text}`, contextUsage: step.flag });
  },
  user: (session: SessionComposer, { text }: Step) => session.addUser(text),
  assistant: (session: SessionComposer, { text }: Step) => session.addAssistant({ text }),
  calls: addCalls,
  unanswered: (session: SessionComposer, { text }: Step) =>
    session.addAssistant({ calls: [{ command: text }] }),
  excluded: (session: SessionComposer, { text }: Step) =>
    session.addUser(`/status ${text}`, { excluded: true }),
  cacheTtl: (session: SessionComposer) => session.addCacheTtl(),
  compaction(session: SessionComposer, { chosen }: Step): void {
    if (chosen !== null) session.addCompaction(chosen);
  },
  reset: (session: SessionComposer, { flag, chosen }: Step) =>
    session.addReset(flag && chosen !== null ? chosen : undefined),
  branch: (session: SessionComposer, { text, chosen }: Step) =>
    session.addUser(`instead ${text}`, { from: chosen }),
  leaf: (session: SessionComposer, { chosen }: Step) => session.addLeaf(chosen),
  parkedLeaf: (session: SessionComposer, { flag, chosen }: Step) =>
    session.addLeaf(chosen, { appendParentId: session.leaf, side: flag }),
  refusedLeaf: (session: SessionComposer, { flag, chosen }: Step) =>
    session.addLeaf(flag ? NOWHERE : chosen, { appendParentId: NOWHERE }),
  side: (session: SessionComposer, { flag, text }: Step) =>
    session.addSessionInfo(text, { side: true, unlinked: flag }),
  unlinked: (session: SessionComposer, { text }: Step) => session.addCustomMessage(text, { unlinked: true }),
  stale: (session: SessionComposer, { text }: Step) => session.addUser(`after ${text}`, { from: NOWHERE }),
  label(session: SessionComposer, { flag, text, chosen }: Step): void {
    if (chosen !== null) session.addLabel(chosen, flag ? text : undefined);
  },
  branchSummary: (session: SessionComposer, { chosen }: Step) => session.addBranchSummary(chosen),
  customMessage: (session: SessionComposer, { text }: Step) => session.addCustomMessage(text),
  sessionInfo: (session: SessionComposer, { text }: Step) => session.addSessionInfo(text),
  modelChange: (session: SessionComposer) => session.addModelChange(),
  thinking: (session: SessionComposer) => session.addThinkingLevel('low'),
  unknown: (session: SessionComposer, { flag, chosen }: Step) =>
    session.addUnknown(flag ? { from: chosen } : {}),
};

export type StepKind = Step['kind'];

const ALL = Object.keys(STEPS) as StepKind[];
const FREQUENT: readonly StepKind[] = ['turn', 'turn', 'calls', 'assistant'];

function stepOf(kinds: readonly StepKind[]) {
  return fc.record({
    kind: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...FREQUENT) },
      { weight: 2, arbitrary: fc.constantFrom(...kinds) },
    ),
    pick: fc.nat(),
    flag: fc.boolean(),
    text: fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.nat({ max: 300 }).map((lines) => 'line of a file\n'.repeat(lines)),
    ),
  });
}

/** Sessions of turns and, among them, of these kinds of steps. */
export function arbitrarySessionOf(kinds: readonly StepKind[]): fc.Arbitrary<ComposedEvent[]> {
  const steps = fc.array(stepOf(kinds), { minLength: 1, maxLength: 30, size: 'medium' });
  return fc.record({ seed: fc.nat({ max: 1_000_000 }), steps }).map((drawn) => {
    const session = composeSession({ seed: drawn.seed });
    addOpening(session);
    for (const { pick, ...step } of drawn.steps) {
      const chosen = session.events[1 + (pick % (session.events.length - 1))]?.id ?? null;
      STEPS[step.kind](session, { ...step, chosen });
    }
    return session.events;
  });
}

/** Everything that OpenClaw writes or copes with: branches, controls, side appends, resets, compactions, odd links. */
export const arbitrarySession = arbitrarySessionOf(ALL);
