export const FROM_JS = 'from js'
