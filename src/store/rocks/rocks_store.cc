#include "store/rocks/rocks_store.h"

#include <rocksdb/db.h>
#include <rocksdb/transaction_log.h>

#include <filesystem>

#include "store/rocks/database.h"
#include "store/rocks/log_scan.h"
#include "store/rocks/rocks_journal.h"

namespace proa::store {
namespace rocks_store {

Result<DatabasePtr> open(const StoreDirectory& directory, rocksdb::Env* env) {
  const std::string path = directory.database();
  const DirectoryLabel& label = directory.label();
  if (label.state == DirectoryLabel::State::kNew) {
    // Nothing was ever acknowledged here: the remains of an interrupted creation are removed.
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) return Status(Reason::kInternalError, "removing " + path + ": " + error.message());
    return open_database(path, Access::kCreate, env);
  }
  TRY(settle_logs(path, label, true));
  return open_database(path, Access::kWrite, env);
}

Result<void> forget(rocksdb::DB& database, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  rocksdb::WriteBatch batch;
  for (const std::string& name : names) {
    const rocksdb::Status status = batch.Delete(name);
    if (!status.ok()) return rocks_status(status);
  }
  rocksdb::WriteOptions options;
  options.sync = true;
  const rocksdb::Status status = database.Write(options, &batch);
  if (!status.ok()) return rocks_status(status);
  return {};
}

Result<uint64_t> current_log(rocksdb::DB& database) {
  std::unique_ptr<rocksdb::LogFile> log;
  const rocksdb::Status status = database.GetCurrentWalFile(&log);
  if (!status.ok()) return rocks_status(status);
  return log->LogNumber();
}

Result<std::unique_ptr<Store>> open(StoreDirectory directory, Clock& clock,
                                    const RocksOptions& options) {
  DatabasePtr database = TRY(open(directory, options.env));
  Loaded loaded = TRY(load_database(*database));
  TRY(settle_revisions(directory.label(), loaded));
  TRY(forget(*database, loaded.unacknowledged));
  auto journal = std::make_unique<RocksJournal>(std::move(directory), std::move(database));
  // Makes the directory entry of the new log durable, too: from now on its absence means damage.
  TRY(journal->write({.facts = &loaded.facts, .sync = true}));
  const uint64_t log = TRY(current_log(journal->database()));
  TRY(journal->directory().relabel(DirectoryLabel::State::kOpen, loaded.keyspace.revision(), log));
  return std::make_unique<Engine>(clock, options.engine, std::move(journal),
                                  std::move(loaded.keyspace), std::move(loaded.facts));
}

}  // namespace rocks_store

Result<std::unique_ptr<Store>> open_rocks_store(const std::string& directory, Clock& clock,
                                                Random& random, const RocksOptions& options) {
  StoreDirectory opened =
      TRY(StoreDirectory::open(directory, StoreDirectory::Missing::kCreate, random));
  auto store = rocks_store::open(std::move(opened), clock, options);
  if (!store.ok()) {
    return Status(store.status().reason(), "refusing to open the store in " + directory + ": " +
                                               store.status().message() + open_advice(directory));
  }
  return store;
}

}  // namespace proa::store
