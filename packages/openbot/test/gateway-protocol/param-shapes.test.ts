import { describe, expect, test } from 'vitest';
import {
  checkParams,
  filledText,
  flag,
  integer,
  listOf,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  type ParamShape,
  record,
  text,
} from '../../src/gateway-protocol/param-shapes.ts';
import { toWireError } from '../../src/gateway-protocol/wire-errors.ts';

function faultOf(shape: ParamShape, params: unknown): string | undefined {
  try {
    checkParams('sessions.preview', shape, params);
    return undefined;
  } catch (error) {
    const { code, message } = toWireError(error);
    expect(code).toBe('INVALID_REQUEST');
    return message.replace('invalid sessions.preview params: ', '');
  }
}

const list = { keys: listOf(text) };

describe('params', () => {
  test.each<[string, ParamShape, unknown, string | undefined]>([
    ['no array', list, { keys: 'main' }, 'at /keys: must be array'],
    ['a wrong item', list, { keys: ['a', 1] }, 'at /keys/1: must be string'],
    ['a missing property', { message: text }, {}, "must have required property 'message'"],
    ['absent params', { message: text }, undefined, "must have required property 'message'"],
    ['null for all params', { message: maybe(text) }, null, undefined],
    ['no object', { message: text }, [], 'must be object'],
    ['too much', { limit: integer({ most: 1000 }) }, { limit: 1001 }, 'at /limit: must be <= 1000'],
    ['too little', { maxChars: integer({ least: 20 }) }, { maxChars: 19 }, 'at /maxChars: must be >= 20'],
    ['no integer', { limit: integer() }, { limit: 1.5 }, 'at /limit: must be integer'],
    ['no number', { limit: number() }, { limit: '1' }, 'at /limit: must be number'],
    ['an empty text', { key: filledText }, { key: '' }, 'at /key: must NOT have fewer than 1 characters'],
    ['no flag', { all: flag }, { all: 'yes' }, 'at /all: must be boolean'],
    ['no object within', { more: object }, { more: [] }, 'at /more: must be object'],
    [
      'another word',
      { view: oneOf('a', 'b') },
      { view: 'c' },
      'at /view: must be equal to one of the allowed values',
    ],
    ['null that clears', { label: maybe(orNull(text)) }, { label: null }, undefined],
    ['null that does not', { label: maybe(text) }, { label: null }, 'at /label: must be string'],
    [
      'a fault deep inside',
      { client: record({ id: text }) },
      { client: { id: 1 } },
      'at /client/id: must be string',
    ],
    [
      'a gap deep inside',
      { client: record({ id: text }) },
      { client: {} },
      "at /client: must have required property 'id'",
    ],
    ['what every object has', { constructor: maybe(text), toString: maybe(text) }, {}, undefined],
    ['properties that are not known', list, { keys: [], nope: 1 }, undefined],
  ])('%s', (_, shape, params, fault) => {
    expect(faultOf(shape, params)).toBe(fault);
  });
});
