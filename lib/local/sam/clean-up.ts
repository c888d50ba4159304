type Task = () => unknown;

/**
 * Collects how to end what was started. Node 22, on which this must run, has no `AsyncDisposableStack`.
 */
export class CleanUp {
  readonly #tasks: Task[] = [];
  #running: Promise<void> | undefined;

  /** Whether the clean-up has started. Nothing may be started after that. */
  get hasStarted(): boolean {
    return this.#running !== undefined;
  }

  /** Adds a task that ends what was just started. @throws when the clean-up has started */
  defer(task: Task): void {
    if (this.hasStarted) throw new Error('It is being stopped.');
    this.#tasks.push(task);
  }

  /** Runs the tasks from last to first, all of them even when one fails. A second call waits for the first one. */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      try {
        await task();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
  }
}
