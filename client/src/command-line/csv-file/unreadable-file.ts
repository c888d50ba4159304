/** A file that cannot be read as a whole. The message is a clause with the problem, and the line where it is at one. */
export class UnreadableFile extends Error {}
