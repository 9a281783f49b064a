// Loads the eval files that only an engine can read, and writes down what they export. Run by _ts_node.py alone.
import fs from 'node:fs'
import module from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const MAX_VALUES = 500_000
const MAX_DEPTH = 60
const BOTPRESS_URL = 'audition:botpress'
const BOTPRESS_SOURCE = `export class Eval {
  constructor(definition) { Object.defineProperties(this, Object.getOwnPropertyDescriptors(definition)) }
}`

const { stringify, parse } = JSON
const [planPath, resultPath] = process.argv.slice(2)
const plan = parse(fs.readFileSync(planPath, 'utf8'))
const botpress = new Set(plan.botpress)
const exit = process.exit.bind(process)
const append = fs.appendFileSync.bind(fs)
const strip = module.stripTypeScriptTypes
const kept = new Set() // files whose lines are still those of the text

const localPath = (url) => (url?.startsWith('file:') ? fileURLToPath(url) : undefined)
const isTypeScript = (name) => /\.[mc]?ts$/.test(name)

function javascript(text, name) {
  if (!isTypeScript(name)) return text
  try {
    const stripped = strip(text)
    kept.add(name)
    return stripped
  } catch (error) {
    if (error?.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
    return strip(text, { mode: 'transform' })
  }
}

// A file of JSON offers its keys by name too, as bundlers have it.
function jsonModule(text) {
  const value = parse(text)
  const named = value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []
  const lines = named
    .filter((key) => key !== 'default' && key.isWellFormed())
    .map((key, index) => `const k${index} = data[${stringify(key)}]\nexport { k${index} as ${stringify(key)} }`)
  return [`const data = JSON.parse(${stringify(text)})`, 'export default data', ...lines].join('\n')
}

module.registerHooks({
  resolve(specifier, context, next) {
    if (botpress.has(specifier) || specifier === BOTPRESS_URL) {
      return { url: BOTPRESS_URL, format: 'module', shortCircuit: true }
    }
    const known = plan.imports[localPath(context.parentURL)]?.[specifier]
    if (known === undefined) return next(specifier, context)
    return { url: pathToFileURL(known).href, format: 'module', importAttributes: {}, shortCircuit: true }
  },
  load(url, context, next) {
    if (url === BOTPRESS_URL) return { format: 'module', source: BOTPRESS_SOURCE, shortCircuit: true }
    const name = localPath(url)
    if (name === undefined) return next(url, context)
    if (name.endsWith('.json') && context.importAttributes?.type !== 'json') {
      return { format: 'module', source: jsonModule(fs.readFileSync(name, 'utf8')), shortCircuit: true }
    }
    const text = plan.sources[name] ?? (isTypeScript(name) ? fs.readFileSync(name, 'utf8') : undefined)
    if (text === undefined) return next(url, context)
    return { format: 'module', source: javascript(text, name), shortCircuit: true }
  },
})

const { Eval } = await import(BOTPRESS_URL)

// Values as JSON: what JSON has no word for is a list that begins with a letter.
class Encoder {
  #ids = new Map()
  #open = new Set()
  #count = 0

  encode(value, depth = 0) {
    this.#count += 1
    if (this.#count > MAX_VALUES) throw new Error(`the file exports more than ${MAX_VALUES} values`)
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return Number.isFinite(value) ? value : ['n', String(value)]
    if (value === undefined) return ['u']
    if (typeof value === 'bigint') return ['x', 'a BigInt']
    if (typeof value === 'symbol') return ['x', 'a symbol']
    if (typeof value === 'function') return [/^class\b/.test(Function.prototype.toString.call(value)) ? 'c' : 'f']
    if (value instanceof RegExp) return ['r', value.source, value.flags]
    return this.#object(value, depth)
  }

  #object(value, depth) {
    if (this.#open.has(value)) return ['x', 'a value that holds itself']
    if (this.#ids.has(value)) return ['s', this.#ids.get(value)]
    if (depth > MAX_DEPTH) return ['x', 'a value that is nested too deep']
    const kind = this.#kind(value)
    if (kind === 'x') return ['x', named(value)]
    const id = this.#ids.size
    this.#ids.set(value, id)
    this.#open.add(value)
    const inside = kind === 'l' ? this.#items(value, depth) : this.#entries(value, depth)
    this.#open.delete(value)
    return [kind, id, inside]
  }

  #kind(value) {
    if (Array.isArray(value)) return 'l'
    if (value instanceof Eval) return 'e'
    const prototype = Object.getPrototypeOf(value)
    if (prototype === Object.prototype || prototype === null) return 'o'
    return typeof value.name === 'string' && Array.isArray(value.conversation) ? 'e' : 'x'
  }

  #items(value, depth) {
    const items = []
    if (value.length > MAX_VALUES) throw new Error(`the file exports more than ${MAX_VALUES} values`)
    for (let index = 0; index < value.length; index += 1) items.push(this.encode(value[index], depth + 1))
    return items
  }

  #entries(value, depth) {
    const symbols = Object.getOwnPropertySymbols(value).map((key) => [String(key), ['x', 'a value under a symbol']])
    return Object.entries(Object.getOwnPropertyDescriptors(value))
      .filter(([, described]) => described.enumerable)
      .map(([key, described]) => [key, 'value' in described ? this.encode(described.value, depth + 1) : ['g']])
      .concat(symbols)
  }
}

function named(value) {
  const name = Object.prototype.toString.call(value).slice(8, -1)
  const own = name === 'Object' ? value.constructor?.name || 'object' : name
  return `a ${own}`
}

function told(error, name) {
  const lines = typeof error?.stack === 'string' && kept.has(name) ? error.stack.split('\n') : []
  const place = lines.map((line) => /\(?(file:\/\/[^)]*):(\d+):(\d+)\)?$/.exec(line)).find((found) => localPath(found?.[1]) === name)
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { message: message.slice(0, 1000), line: place && Number(place[2]), column: place && Number(place[3]) }
}

let stray
process.on('uncaughtException', (error) => { stray ??= { error } })
process.on('unhandledRejection', (error) => { stray ??= { error } })
process.exit = () => { throw new Error('process.exit was called') }
process.chdir(path.dirname(plan.files[0]))

for (const name of plan.files) {
  stray = undefined
  append(resultPath, stringify({ begun: name }) + '\n')
  let result
  try {
    const found = await import(pathToFileURL(name).href)
    await new Promise((resolve) => { setImmediate(resolve) })
    if (stray) throw stray.error
    const encoder = new Encoder()
    result = { exports: Object.keys(found).map((key) => [key, encoder.encode(found[key])]) }
  } catch (error) {
    result = { error: told(error, name) }
  }
  append(resultPath, stringify({ done: name, ...result }) + '\n')
}
exit(0)
