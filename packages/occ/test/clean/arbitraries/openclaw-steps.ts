import fc from 'fast-check';
import { copyOfOutput, spokenText, toolArguments, toolText } from './texts.ts';

/** When the result of a call is written. */
export type ResultFate = 'next' | 'before' | 'never' | 'twice' | 'later' | 'muchLater';

export interface CallStep {
  readonly tool: string;
  readonly arguments: unknown;
  readonly partialArgs: boolean;
  readonly thoughtSignature: boolean;
  /** Takes the id of an earlier call instead of a new one. */
  readonly sameIdAs: number | null;
  readonly blockType: 'toolCall' | 'toolUse' | 'functionCall';
  readonly fate: ResultFate;
  readonly result: ResultStep;
}

/** How often a result has which content. */
const RESULT_CONTENTS = {
  blocks: 3,
  string: 1,
  'two texts': 1,
  image: 1,
  'text and image': 1,
  'text and small block': 1,
  'large block and text': 1,
  empty: 1,
  null: 1,
};

export interface ResultStep {
  readonly content: keyof typeof RESULT_CONTENTS;
  readonly text: string;
  readonly details: unknown;
  readonly isError: boolean;
}

export type Step =
  | { kind: 'user'; content: 'string' | 'blocks' | 'image' | 'empty' | 'null'; text: string }
  | { kind: 'answer'; text: string; content: 'blocks' | 'string'; thinking: boolean; stopReason: string }
  | {
      kind: 'exchange';
      thinking: 'none' | 'first' | 'between' | 'signed';
      /** A block of a kind that nobody here knows. */
      unknownBlock: boolean;
      text: string | null;
      textLast: boolean;
      calls: CallStep[];
      stopReason: string;
    }
  | { kind: 'orphan'; result: ResultStep }
  | { kind: 'compaction'; target: number; text: string; system: boolean }
  | { kind: 'label' | 'branch' | 'edit' | 'removal'; target: number; text: string }
  | {
      kind: 'custom' | 'customMessage' | 'modelChange' | 'thinkingLevel' | 'sessionInfo' | 'usage' | 'future';
      text: string;
    }
  | { kind: 'system' | 'bash' | 'mirror' | 'repeat'; text: string };

/** A step, where it hangs from, and whether its lines are flat. */
export interface PlacedStep {
  readonly step: Step;
  /** Goes back to an earlier entry first: what follows is a new branch. */
  readonly back: number | null;
  /** Names a parent that is not there. */
  readonly isLost: boolean;
  readonly flat: boolean;
  /** Recorded usage of an assistant's message. */
  readonly tokens: number | null;
}

const oneIn = (count: number) => fc.integer({ min: 1, max: count }).map((roll) => roll === count);

const result: fc.Arbitrary<ResultStep> = fc.record({
  content: fc.constantFrom(
    ...Object.entries(RESULT_CONTENTS).flatMap(([content, weight]) =>
      Array<keyof typeof RESULT_CONTENTS>(weight).fill(content as keyof typeof RESULT_CONTENTS),
    ),
  ),
  text: toolText,
  details: fc.option(copyOfOutput, { nil: undefined, freq: 2 }),
  isError: fc.boolean(),
});

const FATES: ResultFate[] = [
  'next',
  'next',
  'next',
  'next',
  'before',
  'never',
  'twice',
  'later',
  'muchLater',
];

const call: fc.Arbitrary<CallStep> = fc.record({
  tool: fc.constantFrom('read', 'exec', 'write', ''),
  arguments: toolArguments,
  partialArgs: fc.boolean(),
  thoughtSignature: fc.boolean(),
  sameIdAs: fc.option(fc.nat({ max: 20 }), { freq: 8 }),
  blockType: fc.constantFrom('toolCall', 'toolCall', 'toolCall', 'toolUse', 'functionCall'),
  fate: fc.constantFrom(...FATES),
  result,
});

const STOP_REASONS = ['toolUse', 'toolUse', 'toolUse', 'stop', 'aborted', 'error'];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('user' as const),
      content: fc.constantFrom('string', 'blocks', 'blocks', 'blocks', 'image', 'empty', 'null'),
      text: spokenText,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      text: spokenText,
      content: fc.constantFrom('blocks', 'blocks', 'string'),
      thinking: fc.boolean(),
      stopReason: fc.constantFrom('stop', 'stop', 'stop', 'aborted', 'error'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('exchange' as const),
      thinking: fc.constantFrom('none', 'none', 'first', 'between', 'signed'),
      unknownBlock: oneIn(12),
      text: fc.option(spokenText),
      textLast: fc.boolean(),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      stopReason: fc.constantFrom(...STOP_REASONS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('orphan' as const), result }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('compaction' as const),
      target: fc.nat(),
      text: spokenText,
      system: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('label' as const, 'branch' as const, 'edit' as const, 'removal' as const),
      target: fc.nat(),
      text: spokenText,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...([
          'custom',
          'customMessage',
          'modelChange',
          'thinkingLevel',
          'sessionInfo',
          'usage',
          'future',
        ] as const),
      ),
      text: spokenText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(...(['system', 'bash', 'mirror', 'repeat'] as const)),
      text: spokenText,
    }),
  },
);

export const openclawSteps: fc.Arbitrary<PlacedStep[]> = fc.array(
  fc.record({
    step,
    back: fc.option(fc.nat(), { freq: 12 }),
    isLost: oneIn(40),
    flat: oneIn(12),
    tokens: fc.option(fc.nat({ max: 200_000 }), { freq: 2 }),
  }),
  { minLength: 1, maxLength: 24, size: 'max' },
);
