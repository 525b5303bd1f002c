/** A tool that Claude Code wants to use and may not use without permission. */
export interface PermissionRequest {
  readonly requestId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The question as Claude Code puts it. */
  readonly title?: string;
  readonly description?: string;
  /** Why it asks. */
  readonly reason?: string;
  /** The path outside of what it may reach. */
  readonly blockedPath?: string;
  /** A stray key press must not allow it. */
  readonly isRisky: boolean;
}

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      /** Replaces the input that was asked for. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly behavior: 'deny';
      /** Shown to the model. */
      readonly message?: string;
    };

export type PermissionSettlement = 'allowed' | 'denied' | 'timed-out' | 'nobody-listens' | 'withdrawn';
