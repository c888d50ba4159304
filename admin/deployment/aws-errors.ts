const NETWORK = /^(E(CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)|TimeoutError)$/;
const CREDENTIALS = /ProviderError$/;
const ANY_MESSAGE = /$/;

const UNREACHABLE = '{host} cannot be reached ({name}): check the network and the region';

/**
 * Sentences for errors, by name and message; the first match applies. A message may quote data, so a sentence contains
 * only the named groups of its pattern, in place of `{…}`.
 */
const SENTENCES: readonly (readonly [name: RegExp, message: RegExp, sentence: string])[] = [
  [NETWORK, /\bE[A-Z_]+ (?<host>[\w.:-]+)|$/, UNREACHABLE],
  [CREDENTIALS, /\b(?<name>ENOTFOUND|EAI_AGAIN) (?<host>[\w.-]+)/, UNREACHABLE],
  [
    CREDENTIALS,
    /multi-factor/,
    'the profile requires an MFA code: set the credentials that "aws configure export-credentials{profile}" prints',
  ],
  [
    CREDENTIALS,
    ANY_MESSAGE,
    'no valid AWS credentials were found: log in with "aws sso login{profile}" or "aws login{profile}", or name a profile that has some with --profile; "aws configure list{profile}" shows what there is',
  ],
  // AWS also returns the last two of these errors in a region that is not enabled for the account.
  [
    /^ExpiredToken|^TokenRefreshRequired$|^UnrecognizedClientException$|^InvalidClientTokenId$/,
    ANY_MESSAGE,
    'AWS does not accept the credentials ({name}): they may have expired, or the region is not enabled; log in again with "aws sso login{profile}", or set new credentials',
  ],
  [
    /^AccessDenied|^UnauthorizedOperation$|^NotAuthorized$/,
    /not authorized to perform: (?<action>[\w-]+:\w+)|$/,
    'AWS denied {action} ({name}): use credentials with the policy in the output OperatorPolicy of the stack',
  ],
  [
    /Signature|^RequestExpired$|^RequestTimeTooSkewed$/,
    ANY_MESSAGE,
    'AWS rejected the signature ({name}): set the clock of this machine, or use the secret access key that belongs to the access key id',
  ],
];

export const errorCode = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.name;

export const isUnreachable = (error: Error): boolean => NETWORK.test(errorCode(error));

/** Describes an error of AWS, the network or the credentials in one sentence; undefined for any other error. */
export const awsErrorSentence = (error: unknown, profile: string | undefined): string | undefined => {
  if (!(error instanceof Error)) return undefined;
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

/** Describes an error like `awsErrorSentence`, and any other error by its name. */
export const describeAwsError = (error: unknown, profile: string | undefined, service: string): string =>
  awsErrorSentence(error, profile) ?? `${service} answered with ${error instanceof Error ? error.name : typeof error}`;
