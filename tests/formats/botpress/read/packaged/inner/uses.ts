export { PACKAGED } from '~/target'
