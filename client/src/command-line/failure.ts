/** Ends the command. The message is a sentence for the user, with the problem and the remedy. */
export class CannotRun extends Error {}
