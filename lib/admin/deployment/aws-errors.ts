/** Errors of AWS, of its SDK and of the network as sentences for operators. */

const NETWORK = /^(E(CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)|TimeoutError)$/;
const CREDENTIALS = /ProviderError$/;
const ANY = /$/;

const UNREACHABLE = '{host} cannot be reached ({name}): check the network and the region';
const WRONG_TIME = 'AWS rejected the request ({name}): set the clock of this machine';
const LOG_IN = 'log in again with "aws sso login{profile}", or set new credentials';

/**
 * What is wrong and what to do, by the name of an error and its message; the first row that fits. A message may quote data or a token:
 * only what a group of its pattern holds is passed on, in place of `{…}`.
 */
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
    'the profile asks for an MFA code: set the credentials that "aws configure export-credentials{profile}" prints',
  ],
  [
    CREDENTIALS,
    ANY,
    'no AWS credentials were found: log in, or name a profile that has some with --profile; "aws configure list{profile}" shows what there is',
  ],
  [/^ExpiredToken|^TokenRefreshRequired$/, ANY, `the AWS credentials have expired ({name}): ${LOG_IN}`],
  // Also the answer to credentials of SSO that have expired, and in a region that the account has not enabled.
  [
    /^UnrecognizedClientException$|^InvalidClientTokenId$/,
    ANY,
    `AWS does not recognise the credentials ({name}), which may have expired, or the region is not enabled: ${LOG_IN}`,
  ],
  [
    /^AccessDenied|^UnauthorizedOperation$|^NotAuthorized$/,
    /not authorized to perform: (?<action>[\w-]+:\w+)|$/,
    'AWS denied {action} ({name}): use credentials with the policy in the output OperatorPolicy of the stack',
  ],
  [/^RequestExpired$|^RequestTimeTooSkewed$/, ANY, WRONG_TIME],
  [/Signature/, /Signature (expired|not yet current)/, WRONG_TIME],
  [
    /^SignatureDoesNotMatch$|^InvalidSignatureException$|^IncompleteSignature/,
    ANY,
    'AWS rejected the signature ({name}): the secret access key is not that of the access key id',
  ],
];

/** The name that Node or the SDK gives an error. */
const nameOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.name;

export const isUnreachable = (error: Error): boolean => NETWORK.test(nameOf(error));

/**
 * An error of AWS, of the way to it or of the credentials for it, as one sentence; undefined for any other error.
 * @param profile the profile in use
 */
export const awsErrorSentence = (error: Error, profile: string | undefined): string | undefined => {
  const name = isUnreachable(error) ? nameOf(error) : error.name;
  for (const [names, message, sentence] of SENTENCES) {
    const found = names.test(name) ? message.exec(error.message) : null;
    if (found === null) continue;
    const { host = 'AWS', action = 'access', name: cause = name } = found.groups ?? {};
    const values = { host, action, name: cause, profile: profile === undefined ? '' : ` --profile ${profile}` };
    return sentence.replace(/\{(\w+)\}/g, (_, key: keyof typeof values) => values[key]);
  }
  return undefined;
};
