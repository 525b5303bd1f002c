import { expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { DEMO_STEPS, formatStep } from '../../src/demo/steps.ts';

it.each(DEMO_STEPS.map((step) => [formatStep(step), step] as const))(
  '%s means what the demo runs',
  (line, step) => {
    const { command, words, flags } = step;
    expect(parseArguments(line.split(' ').slice(1))).toEqual({ command, words, flags });
  },
);
