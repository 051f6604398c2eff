// Which server is asked, with which key: the options first, then the environment. The only holder of secrets.
import OpenAI, { type ClientOptions } from 'openai'
import { isHeaderValue, type OpenAIOptions, refused } from './options.js'
import { createRedactor, type Redactor, secretsIn, secretsInBasic, secretsInKey } from './secrets.js'
import { fetchOnce } from './transport.js'

// Checked against package.json by a test.
const USER_AGENT = 'mendloop/0.1.0'

const OPENAI_BASE_URL = 'https://api.openai.com/v1'

/** A server, ready to be asked. */
export interface Endpoint {
  /** The client; it holds the key, so it goes into no message and no public object. */
  readonly client: OpenAI
  /** The base URL without credentials. */
  readonly baseURL: string
  /** True for OpenAI's own hosts. */
  readonly isOpenAI: boolean
  /** What to look at when the key is refused, as the object of "check". */
  readonly keySource: string
  /** Takes the secrets out of texts. */
  readonly redact: Redactor
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws MendloopError INVALID_OPTION for a base URL or key that cannot work; nothing is sent */
export function createEndpoint(options: OpenAIOptions, environment: Environment): Endpoint {
  const headers = options.headers ?? {}
  const { url, basic, credentials } = parseBaseURL(options.baseURL, environment)
  const isOpenAI = url.hostname === 'openai.com' || url.hostname.endsWith('.openai.com')
  const { key, source } = findKey(options, environment, basic !== undefined)
  if (isOpenAI && key === undefined && basic === undefined)
    throw refused(
      'apiKey',
      `${url.host} needs a key: set OPENAI_API_KEY or pass apiKey; for another server set OPENAI_BASE_URL or pass baseURL`,
      'a key',
      'none',
    )
  const ofEnvironment = (name: string): string | null =>
    (isOpenAI ? nonEmpty(environment[name]) : undefined) ?? null
  const client = new Client({
    // The client insists on a key; the header that would carry the stand-in is taken out below.
    apiKey: key ?? 'none',
    adminAPIKey: null,
    webhookSecret: null,
    organization: options.organization ?? ofEnvironment('OPENAI_ORG_ID'),
    project: options.project ?? ofEnvironment('OPENAI_PROJECT_ID'),
    baseURL: url.href,
    maxRetries: 0,
    // The limits are ours; this is the longest that a timer can hold.
    timeout: 2_147_483_647,
    logLevel: 'off',
    fetch: fetchOnce,
    ...(options.query !== undefined && { defaultQuery: options.query }),
    defaultHeaders: {
      'User-Agent': USER_AGENT,
      'X-Stainless-Timeout': null,
      'X-Stainless-Retry-Count': null,
      ...(key === undefined && { Authorization: basic ?? null }),
      ...headers,
    },
  })
  // Whatever the caller gives may be a secret: nobody can tell by the name of a header.
  const given = [...Object.values(headers), ...Object.values(options.query ?? {})]
  const secrets = [
    ...secretsInKey(key ?? ''),
    ...credentials,
    ...given.flatMap((value) => [...secretsIn(value), ...secretsInBasic(value)]),
  ]
  return { client, baseURL: url.href, isOpenAI, keySource: source, redact: createRedactor(secrets) }
}

/**
 * The client with whole error bodies, since it would keep only what is under `error` and servers put words elsewhere too;
 * and without OPENAI_CUSTOM_HEADERS, which it reads by itself and which would beat an explicit key.
 */
class Client extends OpenAI {
  constructor(options: ClientOptions) {
    super(options)
    this['_options'].defaultHeaders = options.defaultHeaders
  }

  protected override makeStatusError(
    status: number,
    json: object,
    text: string | undefined,
    headers: Headers,
  ) {
    return super.makeStatusError(status, { error: json ?? text ?? '' }, undefined, headers)
  }
}

function parseBaseURL(given: string | undefined, environment: Environment) {
  const fromEnvironment = nonEmpty(environment['OPENAI_BASE_URL'])
  const text = nonEmpty(given) ?? fromEnvironment ?? OPENAI_BASE_URL
  const name = nonEmpty(given) === undefined && fromEnvironment !== undefined ? 'OPENAI_BASE_URL' : 'baseURL'
  const expected = 'a URL such as http://127.0.0.1:11434/v1'
  // What does not parse is not shown, since it may hold credentials.
  const bad = (problem: string) => refused(name, `${problem}; expected ${expected}`, expected, 'another text')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw bad('is no URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw bad('does not begin with http:// or https://')
  if (url.search !== '') throw bad('has a query, which belongs in the option "query"')
  if (/\/(chat\/completions|responses)\/*$/.test(url.pathname))
    throw bad('names one operation; leave out /chat/completions')
  const userName = decoded(url.username)
  const password = decoded(url.password)
  if (userName === undefined || password === undefined)
    throw bad('has a "%" in its user name or password that begins no escape; write it as %25')
  const pair = `${userName}:${password}`
  const basic = pair === ':' ? undefined : `Basic ${Buffer.from(pair).toString('base64')}`
  const credentials = [userName, password, url.username, url.password, ...secretsInBasic(basic ?? '')]
  url.username = ''
  url.password = ''
  url.hash = ''
  return {
    url: { href: url.href.replace(/\/+$/, ''), host: url.host, hostname: url.hostname },
    basic,
    credentials,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The key that is sent, and where it came from. An explicit key wins, then credentials in the URL, then the environment. */
function findKey(options: OpenAIOptions, environment: Environment, hasBasic: boolean) {
  const ownHeader = Object.keys(options.headers ?? {}).find((name) => name.toLowerCase() === 'authorization')
  if (ownHeader !== undefined)
    return { key: 'replaced by the header', source: `the option headers.${ownHeader}` }
  if (options.apiKey !== undefined) return checkedKey(options.apiKey, 'apiKey', 'the option apiKey')
  if (hasBasic) return { key: undefined, source: 'the user name and password in the base URL' }
  return checkedKey(environment['OPENAI_API_KEY'] ?? '', 'OPENAI_API_KEY', 'the variable OPENAI_API_KEY')
}

function checkedKey(text: string, name: string, source: string) {
  // Keys read from files and variables often bring a line end along.
  const key = text.trim()
  if (key === '') return { key: undefined, source: NO_KEY }
  if (!isHeaderValue(key) || /\s/.test(key))
    throw refused(
      name,
      'has characters that no key has',
      'visible Latin characters',
      'a text that is not shown',
    )
  return { key, source }
}

const NO_KEY = 'OPENAI_API_KEY or the option apiKey, since no key was sent'

const nonEmpty = (text: string | undefined): string | undefined =>
  text?.trim() === '' ? undefined : text?.trim()
