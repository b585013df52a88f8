#include "store/rocks/rocks_store.h"

#include "store/rocks/database.h"
#include "store/rocks/disk/disk_guard.h"
#include "store/rocks/rocks_journal.h"

namespace proa::store {
namespace rocks_store {

Result<Loaded> load(RocksJournal& journal, Access access, const RocksOptions& options) {
  Loaded loaded = TRY(journal.load(access));
  if (loaded.sealed_key.empty() || options.keep_sealed) return loaded;
  return Status(Reason::kForbidden, "the value of " + loaded.sealed_key +
                                        " is encrypted on disk, and no keys were given");
}

// Everything, with a first write: the store is in use from now on.
Result<Loaded> load_for_writing(RocksJournal& journal, const RocksOptions& options) {
  Loaded loaded = TRY(load(journal, Access::kWrite, options));
  TRY(journal.write(
      {.facts = &loaded.facts, .live_bytes = loaded.keyspace.memory_bytes(), .sync = true}));
  return loaded;
}

Result<std::unique_ptr<Store>> open(StoreDirectory directory, Clock& clock,
                                    const RocksOptions& options) {
  const auto guard = std::make_shared<DiskGuard>(
      options.make_disk ? options.make_disk() : make_system_disk(directory.path()),
      directory.reserve());
  EngineOptions engine = options.engine;
  engine.history_bytes = std::min<size_t>(engine.history_bytes, guard->plan().history_bytes);
  const bool is_new = directory.label().state == DirectoryLabel::State::kNew;
  auto journal =
      std::make_unique<RocksJournal>(std::move(directory), options.env, guard, options.transformer);
  Result<Loaded> loaded = load_for_writing(*journal, options);
  std::optional<Status> failed;
  if (loaded.is(Reason::kInsufficientStorage) && !is_new) {
    failed = loaded.status();
    loaded = load(*journal, Access::kRead, options);
  }
  if (!loaded.ok()) return loaded.status();
  return std::make_unique<Engine>(clock, std::move(engine), std::move(journal),
                                  std::move(loaded->keyspace), std::move(loaded->facts), failed);
}

}  // namespace rocks_store

Result<std::unique_ptr<Store>> open_rocks_store(const std::string& directory, Clock& clock,
                                                Random& random, const RocksOptions& options) {
  StoreDirectory opened =
      TRY(StoreDirectory::open(directory, StoreDirectory::Missing::kCreate, random));
  auto store = rocks_store::open(std::move(opened), clock, options);
  if (store.is(Reason::kInsufficientStorage)) {
    return store.status().in("the disk of " + directory + " is full, free space on it");
  }
  if (store.is(Reason::kForbidden) || store.is(Reason::kServiceUnavailable)) {
    return store.status().in("refusing to open the store in " + directory);
  }
  if (!store.ok()) {
    return Status(store.status().reason(), "refusing to open the store in " + directory + ": " +
                                               store.status().message() + open_advice(directory));
  }
  return store;
}

}  // namespace proa::store
