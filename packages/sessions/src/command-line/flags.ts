interface FlagText {
  /** One sentence for help and the documentation. */
  readonly help: string;
  /** One letter, without its dash. */
  readonly short?: string;
}

interface BooleanFlag extends FlagText {
  readonly kind: 'boolean';
  /** `--no-<name>` takes back what the environment or a configuration sets. */
  readonly negatable?: true;
}

interface ValueFlag extends FlagText {
  /** The name of the value in help: `--keep <n>`. */
  readonly value: string;
  /** A value that the flag could have, for hints. */
  readonly example?: string;
  /** What the hidden command `complete` of the program is asked for: `session`. */
  readonly complete?: string;
}

interface TextFlag<Kind extends 'text' | 'path'> extends ValueFlag {
  readonly kind: Kind;
  /** Values for completion; others are accepted too. */
  readonly suggest?: readonly string[];
  /** The value of the flag without `=`. Such a flag takes a value only after `=`, never the next word. */
  readonly bare?: true;
}

/** Can be given several times; each time adds a text. */
interface ListFlag extends ValueFlag {
  readonly kind: 'list';
}

interface ChoiceFlag extends ValueFlag {
  readonly kind: 'choice';
  readonly choices: readonly string[];
}

interface NumberFlag<Kind extends 'number' | 'seconds'> extends ValueFlag {
  readonly kind: Kind;
  readonly whole?: true;
  /** 0 by default. */
  readonly least?: number;
  readonly most?: number;
  /** May precede the number: `$`. */
  readonly prefix?: string;
  /** Says what the value must be where the range does not say it well. */
  readonly mustBe?: string;
  /** As of a text. */
  readonly bare?: number;
}

export type Flag =
  | BooleanFlag
  | TextFlag<'text'>
  | TextFlag<'path'>
  | ListFlag
  | ChoiceFlag
  | NumberFlag<'number'>
  | NumberFlag<'seconds'>;

/** By the name in code: `stateDir` is `--state-dir` on the command line. */
export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> =
  | (F extends { readonly bare: infer Bare } ? Bare : never)
  | (F extends { readonly kind: 'boolean' }
      ? boolean
      : F extends { readonly kind: 'number' | 'seconds' }
        ? number
        : F extends { readonly kind: 'list' }
          ? readonly string[]
          : F extends { readonly choices: readonly (infer Choice)[] }
            ? Choice
            : string);

/** What a command reads of its flags. A flag that was not given is absent. */
export type FlagValues<F extends Flags> = { readonly [Name in keyof F]?: ValueOf<F[Name]> };

/** Keeps the literal types of a declaration, from which `FlagValues` is made. */
export function declareFlags<const F extends Flags>(flags: F): F {
  return flags;
}

/** Every command of every program takes them; no command reads them. `startProgram` does. */
export const OWN_FLAGS = declareFlags({
  noColor: {
    kind: 'boolean',
    help: 'Print without colours, as with NO_COLOR=1; FORCE_COLOR=1 sends them to pipes too',
  },
});

/** `--state-dir` of `stateDir`. */
export function longFlag(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Whether the next word on the command line is its value. */
export function takesNextWord(flag: Flag): boolean {
  return flag.kind !== 'boolean' && bareOf(flag) === undefined;
}

/** The value of the flag if none is given; undefined if one must be given. */
export function bareOf(flag: Flag): true | number | undefined {
  return 'bare' in flag ? flag.bare : undefined;
}

/** The values that completion offers, and that a choice is limited to. */
export function valuesOf(flag: Flag): readonly string[] {
  return flag.kind === 'choice' ? flag.choices : 'suggest' in flag ? (flag.suggest ?? []) : [];
}

/** `-n, --limit <n>`, `--[no-]json`, `--strip-tools[=preset]`. */
export function showFlag(key: string, flag: Flag): string {
  const long = longFlag(key);
  const name = flag.kind === 'boolean' && flag.negatable ? long.replace('--', '--[no-]') : long;
  const shown = flag.short === undefined ? name : `-${flag.short}, ${name}`;
  if (flag.kind === 'boolean') return shown;
  return takesNextWord(flag) ? `${shown} <${flag.value}>` : `${shown}[=${flag.value}]`;
}
