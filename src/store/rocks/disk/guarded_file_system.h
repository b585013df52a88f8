#pragma once

#include <memory>

#include "store/rocks/disk/disk_guard.h"

namespace rocksdb {
class FileSystem;
}

namespace proa::store {

// Repeats operations that fail for lack of space or descriptors once the guard has given up some.
// Compactions do not use that space: they are postponed until they fit without it. REQUIRES: an
// Append of the target that fails can be repeated.
std::shared_ptr<rocksdb::FileSystem> make_guarded_file_system(
    const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<DiskGuard> guard);

}  // namespace proa::store
