import { CommandFailure } from '../../command/command-failure.ts';

/** A stopped import can no longer go on. The reason is a clause. */
export class NotResumable extends CommandFailure {
  readonly reason: string;

  constructor(reason: string) {
    super(`this import cannot be resumed, ${reason}: leave out --resume to load it all`);
    this.reason = reason;
  }
}
