#pragma once

#include <rocksdb/write_batch.h>

#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "store/rocks/database.h"

namespace proa::store {

// Writes an engine's changes to a RocksDB database: one record per change, one batch per write.
class RocksJournal final : public Journal {
 public:
  // `env` and `guard` as for open_database(). `transformer`: null: values are written as they are,
  // and stay sealed if they are transformed.
  RocksJournal(StoreDirectory directory, rocksdb::Env* env, std::shared_ptr<DiskGuard> guard,
               std::shared_ptr<const ValueTransformer> transformer = nullptr)
      : directory_(std::move(directory)),
        env_(env),
        guard_(std::move(guard)),
        transformer_(std::move(transformer)) {}

  // Opens the database and reads everything. With kRead, reopen() must precede the first write.
  Result<Loaded> load(Access access);

  Result<void> write(const JournalWrite& write) override;
  Result<Revision> reopen() override;
  bool reclaim(uint64_t live_bytes) override;
  void rest() override;
  bool has_room_for(uint64_t bytes) override;
  bool restore_reserves() override;
  std::optional<Status> trouble() const override;
  Room room() const override;
  bool is_pressed() const override;
  DiskSpace disk() const override;
  void listen(std::function<void()> changed) override;
  const ValueTransformer* transformer() const override { return transformer_.get(); }
  void set_transformer(std::shared_ptr<const ValueTransformer> transformer) override {
    transformer_ = std::move(transformer);
  }
  Result<std::string> verify_values(const ValueTransformer& reader,
                                    const std::string& from) const override EXCLUDES(mutex_);
  Result<Reencoded> reencode(const std::string& from, const EntryFinder& find) override;
  Result<void> purge(const std::stop_token& stop) override EXCLUDES(mutex_);
  Result<void> checkpoint(const std::string& directory) override;
  Result<void> close(Revision revision) override;
  uint64_t disk_bytes() const override { return directory_.disk_bytes(); }
  std::string id() const override { return directory_.label().id; }

  // REQUIRES: it is open.
  rocksdb::DB& database() { return *database_; }

 private:
  Result<void> fill_batch(const JournalWrite& write);
  Result<void> put(const Entry& entry, bool last, Revision durable);
  // Adds the record to the batch if its form is stale; whether it did.
  Result<bool> reencode_record(std::string_view name, std::string_view record,
                               const EntryFinder& find);
  // For other threads than the one that writes.
  Result<DatabasePtr> shared_database() const EXCLUDES(mutex_);
  // The first write of a session: from then on the label says that the journal is in use.
  Result<void> mark_open();
  void set_database(DatabasePtr database) EXCLUDES(mutex_);

  StoreDirectory directory_;
  rocksdb::Env* const env_;
  const std::shared_ptr<DiskGuard> guard_;               // null: none
  std::shared_ptr<const ValueTransformer> transformer_;  // used by the thread that writes
  mutable Mutex mutex_;
  DatabasePtr database_;  // null: closed. Used by the thread that writes
  // The same for checkpoints; null until the label is final.
  DatabasePtr shared_ GUARDED_BY(mutex_);
  std::vector<std::string> unacknowledged_;  // to be deleted by the next write
  uint64_t last_sequence_ = 0;               // RocksDB's, of the last write that succeeded
  bool marked_open_ = false;
  rocksdb::WriteBatch batch_;
  std::string header_;
  std::string stored_;  // a value in its form on disk
  // The revision of the last write; a later checkpoint holds at least this.
  std::atomic<int64_t> written_ = 0;
};

}  // namespace proa::store
