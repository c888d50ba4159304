import { EXIT, type ExitCode } from './exit-codes.ts';

/** A command failed. The message is one sentence for the operator, shown without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: ExitCode } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? EXIT.notDone;
  }
}
