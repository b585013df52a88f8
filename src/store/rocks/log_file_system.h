#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace proa::store {

// Writes small synced appends of the write-ahead log into blocks that were filled with zeros
// before: a sync then has data to write, but no metadata for the file system's journal, which takes
// nearly half of the time. Large writes just append: zeros would double their work. An Append that
// failed, to any file, can be repeated.
std::shared_ptr<rocksdb::FileSystem> make_log_file_system(
    std::shared_ptr<rocksdb::FileSystem> target);

}  // namespace proa::store
