#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace proa::store {

// Lets small synced writes to the write-ahead log go into blocks that were written before, with
// zeros: then a sync has data to write and nothing to note in the file system's own journal, which
// takes it nearly half of the time. Large writes just append: for them zeros would double the work.
std::shared_ptr<rocksdb::FileSystem> make_log_file_system(
    std::shared_ptr<rocksdb::FileSystem> target);

}  // namespace proa::store
