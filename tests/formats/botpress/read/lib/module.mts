export const FROM_MTS = 'from mts' as const
