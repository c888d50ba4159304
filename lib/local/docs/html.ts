const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text that a browser shows as it is, between tags or in a quoted attribute. */
export const textAsHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);

interface Page {
  readonly title: string;
  readonly body: string;
  /** Tags after the common ones. */
  readonly head?: string;
}

/** A whole page of the reference. `head` and `body` are HTML. */
export const htmlPage = ({ title, head = '', body }: Page): string => `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${textAsHtml(title)}</title>
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="/docs/page.css">
${head}
${body}
</html>
`;
