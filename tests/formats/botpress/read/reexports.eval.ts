export { default } from './lib/more_evals'
export * from './lib/more_evals'
export { default as copied } from './lib/more_evals'
