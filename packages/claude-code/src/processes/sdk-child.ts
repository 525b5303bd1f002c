import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { SpawnedProcess } from '@anthropic-ai/claude-agent-sdk';

/**
 * Claude Code as the SDK gets it. The SDK would end it by a schedule of its own, in the end by SIGKILL to Claude Code alone,
 * and leave its tools behind: what it asks for is passed on to `onKill`.
 */
export interface SdkChild extends SpawnedProcess {
  readonly pid: number | undefined;
}

export function toSdkChild(child: ChildProcessWithoutNullStreams, onKill: () => void): SdkChild {
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    pid: child.pid,
    get killed() {
      return child.killed;
    },
    get exitCode() {
      return child.exitCode;
    },
    get signalCode() {
      return child.signalCode;
    },
    kill() {
      onKill();
      return true;
    },
    on: child.on.bind(child),
    once: child.once.bind(child),
    off: child.off.bind(child),
  };
}
