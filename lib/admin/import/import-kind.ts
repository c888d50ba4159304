import type { FileCommand } from '../file-command/file-command.ts';

/** One kind of data that can be imported. */
export type ImportKind = Pick<FileCommand, 'noun' | 'columns' | 'open'>;
