/** What ended the command and what to do: a sentence for the person at the terminal. */
export class CannotRun extends Error {}
