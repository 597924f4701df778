"""A corpus of any size, in shards, on Ray; the folder of the run is that of `engine.storage`.

    inputs         which files a corpus lies in, slices of them that one task can read, and the job: all that
                   the numbers depend on, sent to every worker
    partitioning   slices to chunks by the hash of the document's id, and the chunks of a shard to corpora
    scoring        a shard to sums, and first CIDEr's document frequencies of the whole corpus
    merging        the sums of all shards to `Results`
    run            the order of these, what is there already, and what failed

Because rows are additive, a corpus is a map over shards and a sum. No process holds more than a shard."""
