/** Explains the files of an archive to the person whose data it contains. */
export const archiveReadme = (): string => `What is stored of a person
==========================

This archive contains everything that is stored under one identifier: a client id or a device id.
All files but this one are JSON in UTF-8. Times are in UTC. Nothing is encrypted: keep the archive safe.

person.json                      The identifier, and how much is stored of it. "velocity" counts how often the
                                 identifier was seen, and with how many identifiers of the other kind; deleted
                                 datasets stay counted.
sightings.json                   When the identifier was seen in the last 32 days, and the place of each time in
                                 its count.

datasets/000001/                 A folder for each dataset, oldest first:
  dataset.json                   When it was received, from which address, Additional Info as it was sent, the
                                 device, and the counts at the time of processing.
  capture.json                   The data that a phone or browser sent, as it was sent. capture.bin if it is not
                                 JSON in gzip, or very large. Absent if its retention has ended.
  insight.json                   What was calculated from it: scores with their explanations and reasons,
                                 explanations of scorecards on trial, which decide nothing, fragments, and the
                                 features that are the input of scores.
  timeline.json                  What happened to the dataset.
  reads.json                     Who read its insight, when, and from which address.
  earlier-scores.json            Scores that were calculated again on request.
  collection.json                How a browser sent it: page, address, headers of the browser.
  segment-0.json                 A part that a browser sent, while the parts are not assembled.

collections/000001/              A folder for each capture that a browser sends at present:
  collection.json, segment-0.json

A file with a number at its end, such as reads-2.json, continues the one before it. Files without content are left
out. A dataset that was deleted earlier has no content any more, and is not listed. A capture that is not processed
yet is found by its client id only: until then it is not known which device it names.
`
