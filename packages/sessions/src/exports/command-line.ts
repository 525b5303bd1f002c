/** `@openbot/sessions/command-line`: a program with commands, from declared flags to the exit code. */
export {
  type Command,
  type CommandBody,
  type CommandInput,
  declareCommands,
  type HelpRow,
  type HelpSection,
  type HelpTopic,
  listVisible,
  type Positional,
  type Program,
  type Surroundings,
  showSynopsis,
} from '../command-line/command.ts';
export { declareCompletion } from '../command-line/completion.ts';
export {
  declareFlags,
  type Flag,
  type Flags,
  type FlagValues,
  longFlag,
  showFlag,
} from '../command-line/flags.ts';
export { formatCommandHelp, formatHelp } from '../command-line/help.ts';
export type { OutputStream } from '../command-line/output.ts';
export { declareVersion, readPackageVersion } from '../command-line/package-version.ts';
export { type ParsedArguments, parseArguments } from '../command-line/parse-arguments.ts';
export { type PickList, pickRow } from '../command-line/pick-row.ts';
export { FaultsFound, OutputLost, reportError } from '../command-line/report-error.ts';
export { listMisfits, type ResultShape } from '../command-line/result-shape.ts';
export { runProgram } from '../command-line/run-program.ts';
export { startProgram } from '../command-line/start-program.ts';
export { openTerminal, type Terminal, writeJson, writeWarning } from '../command-line/terminal.ts';
