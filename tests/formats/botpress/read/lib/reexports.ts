export * from './texts'
export { BYE as other } from './texts'
export * as ns from './texts'
import { Level } from './enums'
export { Level }
