import fc from 'fast-check';
import { copyOfOutput, spokenText, toolArguments, toolText } from './texts.ts';

export interface ClaudeCall {
  readonly tool: string;
  readonly input: unknown;
  readonly fate: 'next' | 'never' | 'early' | 'later' | 'twice';
  readonly content: 'string' | 'blocks' | 'image' | 'text and image' | 'reference' | 'absent';
  readonly text: string;
  readonly isError: boolean;
  readonly toolUseResult: unknown;
}

export type ClaudeStep =
  | { kind: 'prompt'; content: 'string' | 'blocks' | 'image'; text: string; attachments: number }
  | { kind: 'answer'; text: string; thinking: boolean; oneLine: boolean }
  | {
      kind: 'exchange';
      thinking: 'none' | 'signed' | 'redacted';
      /** A tool that the provider runs itself, with its result in the same message. */
      serverTool: boolean;
      text: string | null;
      /** The text comes behind the calls. */
      textLast: boolean;
      calls: ClaudeCall[];
      /** All blocks in one line, as older versions wrote. */
      oneLine: boolean;
      /** All results in one line. */
      resultsTogether: boolean;
      /** The order in which results come, where each has its own line. */
      reversed: boolean;
      /** A person's words beside the results. */
      wordsBeside: string | null;
    }
  | { kind: 'meta'; how: 'isMeta' | 'command' | 'reminder' | 'notification'; text: string }
  | { kind: 'attachment'; rendered: boolean; text: string }
  | { kind: 'system'; subtype: string; text: string }
  | {
      kind: 'sidecar';
      which: 'last-prompt' | 'rewind' | 'cleared' | 'summary' | 'queue' | 'cost' | 'history' | 'future';
      text: string;
      /** Where a rewind leads. */
      target: number;
    }
  | { kind: 'compaction'; preserved: number; preservedAs: 'list' | 'segment' | 'both'; text: string }
  | { kind: 'sidechain'; calls: number; text: string }
  | { kind: 'apiError' | 'future' | 'repeat'; text: string };

export interface PlacedClaudeStep {
  readonly step: ClaudeStep;
  readonly back: number | null;
  readonly tokens: number | null;
}

const call: fc.Arbitrary<ClaudeCall> = fc.record({
  tool: fc.constantFrom('Bash', 'Read', 'mcp__x__y'),
  input: toolArguments,
  fate: fc.constantFrom(...(['next', 'next', 'next', 'next', 'never', 'early', 'later', 'twice'] as const)),
  content: fc.constantFrom(
    ...(['string', 'string', 'blocks', 'blocks', 'image', 'text and image', 'reference', 'absent'] as const),
  ),
  text: toolText,
  isError: fc.boolean(),
  toolUseResult: fc.option(copyOfOutput, { nil: undefined, freq: 4 }),
});

const SIDECARS = [
  'last-prompt',
  'last-prompt',
  'rewind',
  'summary',
  'queue',
  'cost',
  'history',
  'future',
] as const;

const step: fc.Arbitrary<ClaudeStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('prompt' as const),
      content: fc.constantFrom('string', 'string', 'blocks', 'image'),
      text: spokenText,
      attachments: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      text: spokenText,
      thinking: fc.boolean(),
      oneLine: fc.boolean(),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('exchange' as const),
      thinking: fc.constantFrom('none', 'none', 'signed', 'redacted'),
      serverTool: fc.integer({ min: 0, max: 11 }).map((roll) => roll === 11),
      text: fc.option(spokenText),
      textLast: fc.integer({ min: 0, max: 7 }).map((roll) => roll === 7),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      oneLine: fc.integer({ min: 0, max: 4 }).map((roll) => roll === 4),
      resultsTogether: fc.integer({ min: 0, max: 3 }).map((roll) => roll === 3),
      reversed: fc.boolean(),
      wordsBeside: fc.option(spokenText, { freq: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('meta' as const),
      how: fc.constantFrom('isMeta', 'command', 'reminder', 'notification'),
      text: spokenText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('attachment' as const),
      rendered: fc.boolean(),
      text: spokenText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('system' as const),
      subtype: fc.constantFrom('turn_duration', 'local_command', 'informational'),
      text: spokenText,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sidecar' as const),
      which: fc.constantFrom(...SIDECARS, ...SIDECARS, 'cleared'),
      text: spokenText,
      target: fc.nat(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('compaction' as const),
      preserved: fc.nat({ max: 6 }),
      preservedAs: fc.constantFrom('list', 'segment', 'both'),
      text: spokenText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('sidechain' as const),
      calls: fc.nat({ max: 2 }),
      text: spokenText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(...(['apiError', 'future', 'repeat'] as const)),
      text: spokenText,
    }),
  },
);

export const claudeSteps: fc.Arbitrary<PlacedClaudeStep[]> = fc.array(
  fc.record({
    step,
    back: fc.option(fc.nat(), { freq: 14 }),
    tokens: fc.option(fc.nat({ max: 200_000 }), { freq: 4 }),
  }),
  { minLength: 1, maxLength: 20, size: 'max' },
);
