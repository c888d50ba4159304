import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { PLANS } from '../../core/access/plans.ts';
import { type ProblemCode, problems, problemType } from '../../core/problems.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import { Registration } from '../../functions/endpoints/document.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { documents } from '../../lib/openapi/documents.ts';
import { errorListMarkdown } from '../../lib/openapi/error-list.ts';
import { recordedExamples } from '../../lib/openapi/examples.ts';
import { responsesOf } from '../../lib/openapi/responses.ts';
import { information } from '../../lib/openapi/texts.ts';

const kept = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

interface Described {
  readonly paths: Record<string, Record<string, { operationId?: string }>>;
}

describe('docs/integration.md', () => {
  it('has the figures of every plan, and links only to existing codes', () => {
    for (const [plan, { requestsPerWindow, bulkSize }] of Object.entries(PLANS)) {
      const figures = [requestsPerWindow, bulkSize].map((figure) => figure.toLocaleString('en-GB')).join(' | ');
      expect(kept('integration.md')).toContain(`| \`${plan}\` | ${figures} |`);
    }
    for (const [, anchor] of kept('integration.md').matchAll(/errors\.md#([a-z-]+)/g)) {
      expect(errorListMarkdown()).toContain(`<a id="${anchor}"></a>`);
    }
  });
});

describe('docs/openapi.json', () => {
  it('is up to date with the endpoints; `npm run openapi` writes it', () => {
    expect(JSON.parse(kept('openapi.json'))).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it('has every endpoint once', () => {
    const { paths } = openApiDocument() as unknown as Described;
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(ids).toHaveLength(Object.keys(endpoints).length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no 403 for a request that needs no scope', () => {
    const { usage, 'read-content': read } = endpoints;
    const examples = recordedExamples();
    expect(Object.keys(responsesOf('read-content', read, examples))).toContain('403');
    expect(Object.keys(responsesOf('usage', usage, examples))).not.toContain('403');
  });

  it('has the figures of every plan', () => {
    for (const { requestsPerWindow, bulkSize } of Object.values(PLANS)) {
      expect(information.description).toContain(requestsPerWindow.toLocaleString('en-GB'));
      expect(information.description).toContain(bulkSize.toLocaleString('en-GB'));
      expect(documents['bulk-insurance'].description).toContain(bulkSize.toLocaleString('en-GB'));
    }
  });
});

describe('docs/errors.md', () => {
  it('has a section for every code, with the anchor of its `type`', () => {
    expect(kept('errors.md')).toBe(errorListMarkdown());
    for (const code of Object.keys(problems) as ProblemCode[]) {
      expect(errorListMarkdown()).toContain(`<a id="${problemType(code).split('#')[1]}"></a>\n\n## ${code}\n`);
    }
  });
});

describe('The schema of a registration in the document', () => {
  const fits = new Ajv2020({ strict: false }).compile({ ...Registration });
  const agrees = (text: string) =>
    expect([text, fits(text)]).toEqual([text, normaliseRegistration(text) !== undefined]);
  const unit = fc.constantFrom(
    ...['A', 'b', 'O', 'u', 'Z', '0', '9', 'Ä', 'ö', 'Å', 'É', '\u0308', '\u030a', '\u0301', '\u212a', '\u212b'],
    ...[' ', '-', '.', '\u00b7', '\u0387', '\n', '_', '🚗'],
  );

  it('accepts a string if and only if the service does', () => {
    fc.assert(fc.property(fc.string({ unit, maxLength: 34 }), agrees), { numRuns: 5_000 });
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 14 }), agrees), { numRuns: 2_000 });
  });

  it('agrees with the service on every character', () => {
    for (let point = 1; point < 0x10000; point += 1) {
      if (point < 0xd800 || point > 0xdfff) agrees(`A${String.fromCodePoint(point)}`);
    }
  });
});
