/** Rows of `recordingOf` for statements that change datasets. */

/** Of `inserted`, datasets that were inserted by the same statement. */
export const RECEIVED = `
  select subscription_id, id as dataset_id, 'dataset.received' as type,
         jsonb_build_object('referenceNumber', reference_number) as data
  from inserted order by id`

/** Of `settled`, datasets that were settled by the same statement, with the event of their timelines. */
export const SETTLED = `
  select subscription_id, id as dataset_id,
         case event when 'recalculated' then 'insight.recalculated' else 'dataset.' || event end as type,
         jsonb_build_object('referenceNumber', reference_number)
           || case when event = 'invalid' then jsonb_build_object('code', invalid_code) else '{}' end as data
  from settled order by id`

/** Of `deleted`, datasets that were deleted by the same transaction. */
export const DELETED = `
  select subscription_id, id as dataset_id, 'dataset.deleted' as type,
         jsonb_build_object('referenceNumber', reference_number) as data
  from deleted order by id`
