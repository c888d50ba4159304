/** The pages that show a document of the repository. `prepare.ts` writes them. */
export const DOCUMENTS: Readonly<Record<string, { readonly title: string; readonly file: string }>> = {
  guide: { title: 'Guide', file: 'docs/integration.md' },
  errors: { title: 'Errors', file: 'docs/errors.md' },
  offices: { title: 'For offices', file: 'docs/offices.md' },
  'sample-data': { title: 'Sandbox', file: 'docs/sample-data.md' },
  changelog: { title: 'Changelog', file: 'docs/changelog.md' },
};
