import type { SettingPath } from './setting-path.ts';

/**
 * Settings that people bring along from OpenClaw, or that editors write, and that may stay without an effect. `*` is any
 * name. Every other name that is not known is an error: a setting without an effect looks like one that holds.
 */
const KEPT: readonly SettingPath[] = [
  ['$schema'],
  ['meta'],
  ['wizard'],
  ['models', 'providers', '*', 'models', '*', 'name'],
];

export function isKept(path: SettingPath): boolean {
  return KEPT.some(
    (kept) =>
      kept.length === path.length && kept.every((part, index) => part === '*' || part === path[index]),
  );
}
