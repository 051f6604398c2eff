// What runs a cell as a debugger's console does, and gets at the values themselves.
import inspector from 'node:inspector'
import { promiseHooks } from 'node:v8'
import { takeBack, whenSettled } from './node_lending.mjs'

/** Where V8 puts the last value of a cell. */
const RESULT = '.repl_result'

/** This process's own debugger. */
export class Debugger {
  #session = new inspector.Session()
  #taken
  #takerId
  /** Also where an interrupt has ended the code that put the hook there. */
  #stop = () => undefined

  constructor() {
    this.#session.connect()
    globalThis.__sessionTake = (value) => {
      this.#taken = value
    }
    this.#session.post('Runtime.evaluate', { expression: '__sessionTake' }, (_, answer) => {
      this.#takerId = answer.result.objectId
    })
    delete globalThis.__sessionTake
  }

  /**
   * Runs code and gives its last value, or what was thrown and where; calls `settle` when it has come to its end.
   *
   * The debugger writes a text that it answers with out, several times over, for which there may be no room. So the
   * promise that the code is to it, the first that comes to be, is asked first, and left without a value.
   */
  evaluate(expression, settle) {
    let value
    let isFirst = true
    const take = (wrapped) => {
      value = wrapped[RESULT]
      wrapped[RESULT] = undefined
    }
    const stop = promiseHooks.onInit((promise) => {
      if (!isFirst) return
      isFirst = false
      whenSettled(promise, take, () => undefined)
    })
    this.#stop = () => {
      this.#stop = () => undefined
      stop()
    }
    const answered = (error, answer) => {
      takeBack()
      if (error) return giveUp(error)
      const { result, exceptionDetails } = answer
      if (exceptionDetails === undefined) settle(value)
      else settle(this.#fetch(exceptionDetails.exception ?? result), exceptionDetails)
    }
    this.#session.post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true }, answered)
  }

  /** To be called once the code that does not wait has run, to its end or not. */
  stopWatching() {
    this.#stop()
  }

  /** Names that code has declared with `let`, `const` and `class`. */
  names() {
    return new Promise((resolve) =>
      this.#session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) =>
        error ? giveUp(error) : resolve(answer.names),
      ),
    )
  }

  /** The debugger speaks of objects by number; a function of ours gets the object itself. */
  #fetch(remote) {
    this.#taken = undefined
    if (remote.objectId === undefined) return primitive(remote)
    const call = { objectId: this.#takerId, functionDeclaration: 'function (value) { this(value) }' }
    this.#session.post('Runtime.callFunctionOn', { ...call, arguments: [{ objectId: remote.objectId }] })
    this.#session.post('Runtime.releaseObject', { objectId: remote.objectId })
    return this.#taken
  }
}

/**
 * An interrupt that comes while the debugger itself is at work costs it its context, and with it every later cell:
 * better to end, which is told, than to go on as if variables were still there.
 */
function giveUp(error) {
  process.stderr.write(`an interrupt has broken the session: ${error.message}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function primitive({ type, value, unserializableValue }) {
  if (unserializableValue === undefined) return value
  return type === 'bigint' ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue)
}
