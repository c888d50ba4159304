export type {
  BulkSuccess,
  ComplianceVerdict,
  ContentItem,
  CreateContent,
  Policy,
  Sources,
  UpdateContent,
  UsageReport,
  ValidationIssue,
  Vehicle,
  VehicleInsurance,
} from './api-types.ts';
export {
  type BulkFailure,
  type ComplianceEntry,
  type InsuranceEntry,
  type InsuranceOptions,
  type LookupOptions,
  VehicleVerification,
} from './client.ts';
export type { Content, CreateOptions, Edit, ListOptions } from './content.ts';
export { ApiProblem, ConnectionError, type ProblemCode } from './errors.ts';
export type { Timing } from './timing.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
