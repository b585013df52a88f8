#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "store/engine/engine.h"
#include "store/rocks/disk/disk.h"

namespace rocksdb {
class Env;
}

namespace proa::store {

struct RocksOptions {
  EngineOptions engine;
  // The database's files, for tests that lose them; null: the file system.
  rocksdb::Env* env = nullptr;
  // The disk, for tests that fill it; null: that of the directory.
  std::function<std::unique_ptr<Disk>()> make_disk = nullptr;
  // The form of values on disk; null: as they are.
  std::shared_ptr<const ValueTransformer> transformer = nullptr;
  // Without a transformer: opens a store with transformed values, too, which stay sealed. For
  // copying it.
  bool keep_sealed = false;
};

// Opens the store in a directory, which is created if it is missing or empty. A directory that is
// foreign, damaged, incomplete or in use is refused with a Status that says what to do, and left
// unchanged: only the torn tail of a write that was never acknowledged is truncated. On a full
// disk, an existing store is opened for reading, and accepts writes when there is space again.
// Values that the transformer does not read are kForbidden or kServiceUnavailable.
Result<std::unique_ptr<Store>> open_rocks_store(const std::string& directory, Clock& clock,
                                                Random& random, const RocksOptions& options = {});

}  // namespace proa::store
