import { parseArguments } from '@openbot/sessions/command-line';
import { expect, it } from 'vitest';
import { OCC } from '../../src/cli/main.ts';
import { DEMO_STEPS, formatStep } from '../../src/demo/steps.ts';

it.each(DEMO_STEPS.map((step) => [formatStep(step), step] as const))(
  '%s means what the demo runs',
  (line, step) => {
    const { command, words, flags } = step;
    const parsed = parseArguments(OCC, line.split(' ').slice(1));
    expect({ ...parsed, command: parsed.command.name }).toEqual({ command, words, flags });
  },
);
