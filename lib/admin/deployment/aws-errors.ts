/** Errors of AWS and of its SDK as sentences for operators. A message may quote data or a token: only the parts named here are passed on. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Region and credentials; those of the profile where one is named, otherwise as the AWS CLI finds them. */
export interface AwsAccount {
  readonly region: string;
  readonly profile?: string;
}

/** How a command reaches AWS. */
export interface AwsAccess {
  /** From --profile or AWS_PROFILE. */
  readonly profile: string | undefined;
  /** The host of the last request, with its port unless it is the usual one; undefined before the first request. */
  readonly host: () => string | undefined;
}

/** Connection errors, by the code or name that Node and the SDK give them. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'TimeoutError',
]);

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.name;

export const isUnreachable = (error: Error): boolean => UNREACHABLE.has(codeOf(error)) || UNREACHABLE.has(error.name);

/** Remembers the host of a client's requests, which the SDK chooses by region and account. */
export const lastHostOf = ({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>): AwsAccess['host'] => {
  let host: string | undefined;
  middlewareStack.add(
    (next) => (args) => {
      const { hostname, port } = args.request as { readonly hostname?: string; readonly port?: number };
      host = port === undefined ? hostname : `${hostname}:${port}`;
      return next(args);
    },
    { step: 'finalizeRequest', name: 'rememberHost' },
  );
  return () => host;
};

/** A network error that the SDK turned into the message of another one: it names the host that asks for a login. */
const UNKNOWN_HOST = /\b(ENOTFOUND|EAI_AGAIN) ([\w.-]+)/;

const unreachableSentence = (error: Error, lastHost: string | undefined): string | undefined => {
  const [, code = codeOf(error), host] = UNKNOWN_HOST.exec(error.message) ?? [];
  if (host === undefined && !isUnreachable(error)) return undefined;
  return `${host ?? lastHost ?? 'AWS'} cannot be reached (${code}): check the network and the region`;
};

const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired']);
/** Also what AWS answers to credentials of SSO that have expired, and in a region that the account has not enabled. */
const UNRECOGNISED = new Set(['UnrecognizedClientException', 'InvalidClientTokenId']);
const WRONG_SIGNATURE = new Set(['SignatureDoesNotMatch', 'InvalidSignatureException', 'IncompleteSignature']);
const WRONG_TIME = /Signature (expired|not yet current)|RequestExpired|RequestTimeTooSkewed/;

const withProfile = (command: string, profile: string | undefined): string =>
  `"${command}${profile === undefined ? '' : ` --profile ${profile}`}"`;

const logInAgain = (profile: string | undefined): string =>
  profile === undefined
    ? 'log in again, or set new credentials'
    : `log in again with ${withProfile('aws sso login', profile)}`;

/** The message when AWS was called without credentials. */
const NO_CREDENTIALS = 'no AWS credentials were found: log in, or name a profile with --profile';

const sessionSentence = (kind: string, message: string, command: string, profile: string | undefined): string => {
  const problem = /expired|Cannot refresh/.test(message)
    ? `the ${kind} session has expired`
    : `there is no ${kind} session`;
  return `${problem}: log in again with ${withProfile(command, profile)}`;
};

/** What the SDK says when it finds no valid credentials on this machine. */
const credentialsSentence = ({ message }: Error, profile: string | undefined): string => {
  if (/aws sso login|UnauthorizedException/.test(message))
    return sessionSentence('SSO', message, 'aws sso login', profile);
  if (/aws login|reauthenticate|Failed to load token/.test(message)) {
    return sessionSentence('AWS', message, 'aws login', profile);
  }
  if (profile === undefined) return NO_CREDENTIALS;
  return /multi-factor/.test(message)
    ? `the profile ${profile} asks for an MFA code: set the credentials that ${withProfile('aws configure export-credentials', profile)} prints`
    : `the profile ${profile} has no credentials or does not exist: look at ${withProfile('aws configure list', profile)}`;
};

/** Who may not do what, as AWS writes it: names of users, actions, resources and kinds of policies. */
const DENIED =
  /^User: [\w:/.@+=,-]+ is not authorized to perform: [\w:*-]+(?: on resource: [\w:/.@+=,*-]+)?(?: (?:because no [\w-]+ policy allows the [\w:*-]+ action|with an explicit deny in an? [\w -]+))?/;

const isAccessDenied = ({ name }: Error): boolean => /^AccessDenied|^UnauthorizedOperation$|^NotAuthorized$/.test(name);

/** An error of AWS, of the way to it or of the credentials for it, as one sentence; undefined for any other error. */
export const awsErrorSentence = (error: Error, { profile, host }: AwsAccess): string | undefined => {
  const { name, message } = error;
  const unreachable = unreachableSentence(error, host());
  if (unreachable !== undefined) return unreachable;
  if (name.endsWith('ProviderError')) return credentialsSentence(error, profile);
  if (EXPIRED.has(name)) return `the AWS credentials have expired (${name}): ${logInAgain(profile)}`;
  if (UNRECOGNISED.has(name)) {
    return `AWS does not recognise the credentials (${name}), which may have expired, or the region is not enabled: ${logInAgain(profile)}`;
  }
  if (isAccessDenied(error))
    return `AWS denied access (${name}): ${DENIED.exec(message)?.[0] ?? 'it does not say why'}`;
  if (WRONG_TIME.test(`${name} ${message}`)) return `AWS rejected the request (${name}): set the clock of this machine`;
  if (!WRONG_SIGNATURE.has(name)) return undefined;
  return `AWS rejected the signature (${name}): the secret access key is not that of the access key id`;
};
