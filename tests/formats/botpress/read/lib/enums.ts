export enum Level { Low = 1, High }
export const enum Colour { Red = 'red' }
