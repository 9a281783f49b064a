export const PACKAGED = 'by a path of an extended tsconfig'
