export type OnlyAType = string
export interface Nothing {}
