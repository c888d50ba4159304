/** As much of Express as its peer uses; it brings no types of its own. */
declare module 'express' {
  interface Request {
    readonly params: { readonly registration: string };
    get(header: string): string | undefined;
  }
  interface Response {
    status(code: number): this;
    set(headers: Readonly<Record<string, string>>): this;
    json(body: object): this;
  }
  interface Application {
    (request: object, response: object): void;
    disable(setting: string): this;
    get(path: string, handle: (request: Request, response: Response) => Promise<void>): this;
  }
  export default function express(): Application;
}
