type Task = () => unknown;

/**
 * What must be ended, kept as it is started. `AsyncDisposableStack` would do, but Node 22, which can run this, lacks it.
 */
export class CleanUp {
  readonly #tasks: Task[] = [];
  #running: Promise<void> | undefined;

  /** Whether the end has begun; nothing new may start from then on. */
  get begun(): boolean {
    return this.#running !== undefined;
  }

  /** Keeps how to end what has just been started. @throws when the end has begun */
  defer(task: Task): void {
    if (this.begun) throw new Error('It is being stopped.');
    this.#tasks.push(task);
  }

  /** Ends everything from last to first, each even when another cannot be; called again, it waits for the first call. */
  run(): Promise<void> {
    this.#running ??= this.#endAll();
    return this.#running;
  }

  async #endAll(): Promise<void> {
    const faults: unknown[] = [];
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      try {
        await task();
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('; '));
  }
}
