export const INDEX = 'index'
export { HELLO } from './texts'
