#pragma once

#include <rocksdb/write_batch.h>

#include <string>

#include "store/rocks/database.h"

namespace proa::store {

// Writes an engine's changes to a RocksDB database: one record per change, one batch per write.
class RocksJournal final : public Journal {
 public:
  RocksJournal(StoreDirectory directory, DatabasePtr database)
      : directory_(std::move(directory)), database_(std::move(database)) {}

  Result<void> write(const JournalWrite& write) override;
  Result<void> checkpoint(const std::string& directory) override;
  Result<void> close(Revision revision) override;
  uint64_t disk_bytes() const override { return directory_.disk_bytes(); }

  StoreDirectory& directory() { return directory_; }
  rocksdb::DB& database() { return *database_; }

 private:
  StoreDirectory directory_;
  DatabasePtr database_;
  rocksdb::WriteBatch batch_;
  std::string header_;
  // The revision of the last write; a later checkpoint holds at least this.
  std::atomic<int64_t> written_ = 0;
};

}  // namespace proa::store
