const NETWORK = /^(E(CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)|TimeoutError)$/;
const CREDENTIALS = /ProviderError$/;
const ANY_MESSAGE = /$/;

const UNREACHABLE = '{host} cannot be reached ({name}): check the network and the region';
const WRONG_TIME = 'AWS rejected the request ({name}): set the clock of this machine';
const LOG_IN = 'log in again with "aws sso login{profile}", or set new credentials';

/** By name and message; the first match applies. Messages may quote data: only named groups are used, as `{…}`. */
const SENTENCES: readonly (readonly [name: RegExp, message: RegExp, sentence: string])[] = [
  [NETWORK, /\bE[A-Z_]+ (?<host>[\w.:-]+)|$/, UNREACHABLE],
  [CREDENTIALS, /\b(?<name>ENOTFOUND|EAI_AGAIN) (?<host>[\w.-]+)/, UNREACHABLE],
  [
    CREDENTIALS,
    /aws sso login|UnauthorizedException/,
    'there is no SSO session, or it has expired: log in with "aws sso login{profile}"',
  ],
  [
    CREDENTIALS,
    /aws login|Failed to load token/,
    'there is no AWS session, or it has expired: log in with "aws login{profile}"',
  ],
  [
    CREDENTIALS,
    /multi-factor/,
    'the profile requires an MFA code: set the credentials that "aws configure export-credentials{profile}" prints',
  ],
  [
    CREDENTIALS,
    ANY_MESSAGE,
    'no AWS credentials were found: log in, or name a profile that has some with --profile; "aws configure list{profile}" shows what there is',
  ],
  [/^ExpiredToken|^TokenRefreshRequired$/, ANY_MESSAGE, `the AWS credentials have expired ({name}): ${LOG_IN}`],
  // AWS also returns this for expired SSO credentials, and in a region that is not enabled for the account.
  [
    /^UnrecognizedClientException$|^InvalidClientTokenId$/,
    ANY_MESSAGE,
    `AWS does not recognise the credentials ({name}), which may have expired, or the region is not enabled: ${LOG_IN}`,
  ],
  [
    /^AccessDenied|^UnauthorizedOperation$|^NotAuthorized$/,
    /not authorized to perform: (?<action>[\w-]+:\w+)|$/,
    'AWS denied {action} ({name}): use credentials with the policy in the output OperatorPolicy of the stack',
  ],
  [/^RequestExpired$|^RequestTimeTooSkewed$/, ANY_MESSAGE, WRONG_TIME],
  [/Signature/, /Signature (expired|not yet current)/, WRONG_TIME],
  [
    /^SignatureDoesNotMatch$|^InvalidSignatureException$|^IncompleteSignature/,
    ANY_MESSAGE,
    'AWS rejected the signature ({name}): the secret access key does not belong to the access key id',
  ],
];

/** The code of a system error such as `ECONNREFUSED`, otherwise the name of the error. */
export const errorCode = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.name;

/** Whether an error means that a host could not be reached. */
export const isUnreachable = (error: Error): boolean => NETWORK.test(errorCode(error));

/** Describes an error of AWS, the network or the credentials in one sentence; undefined for any other error. */
export const awsErrorSentence = (error: Error, profile: string | undefined): string | undefined => {
  const name = isUnreachable(error) ? errorCode(error) : error.name;
  for (const [names, message, sentence] of SENTENCES) {
    const found = names.test(name) ? message.exec(error.message) : null;
    if (found === null) continue;
    const { host = 'AWS', action = 'access', name: cause = name } = found.groups ?? {};
    const values = { host, action, name: cause, profile: profile === undefined ? '' : ` --profile ${profile}` };
    return sentence.replace(/\{(\w+)\}/g, (_, key: keyof typeof values) => values[key]);
  }
  return undefined;
};

/** As `awsErrorSentence`, for whatever was thrown; any other error is described by its name. */
export const describeAwsError = (error: unknown, profile: string | undefined, otherwise: (name: string) => string) => {
  const failed = error instanceof Error ? error : new Error(String(error));
  return awsErrorSentence(failed, profile) ?? otherwise(failed.name);
};
