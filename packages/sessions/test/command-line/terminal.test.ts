import { describe, expect, it } from 'vitest';
import { openTerminal } from '../../src/command-line/terminal.ts';

const TTY = { isTTY: true, columns: 132, write: () => true };
const PIPE = { write: () => true };

describe('colour', () => {
  it.each([
    ['on a terminal', TTY, TTY, {}, [true, true]],
    ['not in a pipe', PIPE, PIPE, {}, [false, false]],
    ['only where the terminal is', TTY, PIPE, {}, [true, false]],
    ['for errors although output is piped', PIPE, TTY, {}, [false, true]],
    ['never with NO_COLOR', TTY, TTY, { NO_COLOR: '1' }, [false, false]],
    ['an empty NO_COLOR says nothing', TTY, TTY, { NO_COLOR: '' }, [true, true]],
    ['not on a terminal that has none', TTY, TTY, { TERM: 'dumb' }, [false, false]],
    ['in a pipe with FORCE_COLOR=1', PIPE, PIPE, { FORCE_COLOR: '1' }, [true, true]],
    ['in a pipe with FORCE_COLOR=3', PIPE, PIPE, { FORCE_COLOR: '3', TERM: 'dumb' }, [true, true]],
    ['never with FORCE_COLOR=0', TTY, TTY, { FORCE_COLOR: '0' }, [false, false]],
    ['an empty FORCE_COLOR says nothing', PIPE, TTY, { FORCE_COLOR: '' }, [false, true]],
    ['NO_COLOR wins over FORCE_COLOR', TTY, TTY, { NO_COLOR: '1', FORCE_COLOR: '1' }, [false, false]],
  ])('%s', (_, stdout, stderr, env, expected) => {
    const { palette, errorPalette } = openTerminal(stdout, stderr, env);
    expect([palette, errorPalette].map(({ red }) => red('x') === '\u001b[31mx\u001b[39m')).toEqual(expected);
    expect([palette, errorPalette].map(({ red }) => red('x') !== 'x')).toEqual(expected);
  });
});

it('a pipe counts as 80 columns wide, and cuts no line', () => {
  expect(openTerminal(PIPE, PIPE, {})).toMatchObject({
    columns: 80,
    isTerminal: false,
    maxLineWidth: Number.POSITIVE_INFINITY,
  });
  expect(openTerminal(TTY, PIPE, {})).toMatchObject({ columns: 132, isTerminal: true, maxLineWidth: 132 });
  expect(openTerminal({ ...TTY, columns: 0 }, PIPE, {})).toMatchObject({ columns: 80, maxLineWidth: 80 });
  expect(openTerminal(TTY, PIPE, { COLUMNS: '60' })).toMatchObject({ columns: 60, maxLineWidth: 60 });
  expect(openTerminal(PIPE, PIPE, { COLUMNS: '60' })).toMatchObject({
    columns: 60,
    maxLineWidth: Number.POSITIVE_INFINITY,
  });
  for (const COLUMNS of ['', '0', '-5', 'x', '1e9'])
    expect(openTerminal(TTY, PIPE, { COLUMNS })).toMatchObject({ columns: 132 });
});
