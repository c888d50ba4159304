/** Why nothing was done: a sentence for the person at the terminal. */
export class CannotRun extends Error {}
