#include "store/rocks/rocks_journal.h"

#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>

#include <array>
#include <filesystem>

#include "store/rocks/log_scan.h"
#include "store/rocks/record.h"

namespace proa::store {
namespace rocks_journal {

// A batch keeps its memory for the next one, unless it was unusually large.
constexpr size_t kKeptBytes = 1u << 20;
// For the files that RocksDB creates when it opens a database.
constexpr uint64_t kBytesToReopen = 256u << 10;
// A database of this size is compacted within about a second.
constexpr uint64_t kQuicklyCompacted = 128u << 20;

// Memory for recent writes that a quiet store gives back: less would make many small files.
constexpr uint64_t kWorthFlushing = 1u << 20;

rocksdb::Status flush(rocksdb::DB& database) {
  rocksdb::FlushOptions options;
  // Otherwise it waits for compactions, which may have to wait for space.
  options.allow_write_stall = true;
  return database.Flush(options);
}

// Zero if there are no records.
Result<Revision> last_revision(rocksdb::DB& database) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(database.NewIterator(options));
  at->SeekToLast();
  if (!at->status().ok()) return rocks_status(at->status());
  if (!at->Valid()) return Revision{};
  const RecordName name = TRY(parse_record_name(at->key().ToStringView()));
  return name.revision;
}

}  // namespace rocks_journal

void RocksJournal::set_database(DatabasePtr database) {
  MutexLock lock(mutex_);
  database_ = std::move(database);
  shared_ = marked_open_ ? database_ : nullptr;
}

Result<Loaded> RocksJournal::load(Access access) {
  set_database(nullptr);
  const std::string path = directory_.database();
  const DirectoryLabel& label = directory_.label();
  if (label.state == DirectoryLabel::State::kNew) {
    // Nothing was ever acknowledged here: the remains of an interrupted creation are removed.
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) return Status(Reason::kInternalError, "removing " + path + ": " + error.message());
    access = Access::kCreate;
  } else {
    TRY(settle_logs(path, label, access == Access::kRead ? Tails::kKeep : Tails::kRepair));
  }
  DatabasePtr database = TRY(open_database(path, access, env_, guard_));
  Loaded loaded = TRY(load_database(*database, transformer_.get()));
  TRY(settle_revisions(label, loaded));
  last_sequence_ = database->GetLatestSequenceNumber();
  written_ = loaded.keyspace.revision().value;
  unacknowledged_ = std::exchange(loaded.unacknowledged, {});
  if (access != Access::kRead) set_database(std::move(database));
  return loaded;
}

Result<void> RocksJournal::put(const Entry& entry, bool last, Revision durable) {
  stored_.clear();
  bool transformed = entry.sealed();
  std::string_view value = entry.value();
  if (transformer_ != nullptr && !transformed && !entry.deleted()) {
    transformed = TRY(transformer_->to_disk(entry.key(), value, stored_));
    if (transformed) value = stored_;
  }
  encode_record_header(entry, last, durable, header_, transformed);
  const std::string name = record_name(entry.mod_revision(), entry.index());
  const rocksdb::Slice name_slice(name);
  const std::array<rocksdb::Slice, 3> parts = {header_, entry.key(), value};
  const rocksdb::Status status =
      batch_.Put(database_->DefaultColumnFamily(), rocksdb::SliceParts(&name_slice, 1),
                 rocksdb::SliceParts(parts.data(), static_cast<int>(parts.size())));
  if (stored_.capacity() > rocks_journal::kKeptBytes) stored_ = std::string();
  if (!status.ok()) return rocks_status(status);
  return {};
}

Result<void> RocksJournal::fill_batch(const JournalWrite& write) {
  batch_.Clear();
  rocksdb::Status status;
  for (const std::string& name : unacknowledged_) {
    if (status.ok()) status = batch_.Delete(name);
  }
  for (size_t i = 0; i < write.changes.size() && status.ok(); ++i) {
    const Entry& entry = *write.changes[i].entry;
    const bool last = i + 1 == write.changes.size() ||
                      write.changes[i + 1].entry->mod_revision() != entry.mod_revision();
    TRY(put(entry, last, write.durable));
  }
  for (size_t i = 0; i < write.garbage.size() && status.ok(); ++i) {
    // Written once, deleted once: the two cancel out in a compaction.
    const Entry& entry = *write.garbage[i];
    status = batch_.SingleDelete(record_name(entry.mod_revision(), entry.index()));
  }
  if (write.facts != nullptr && status.ok()) {
    status = batch_.Put(facts_name(), encode_facts(*write.facts));
  }
  if (!status.ok()) return rocks_status(status);
  return {};
}

Result<void> RocksJournal::write(const JournalWrite& write) {
  TRY(fill_batch(write));
  if (batch_.Count() == 0) return {};
  if (guard_ != nullptr) guard_->expect_live_bytes(write.live_bytes);
  rocksdb::WriteOptions options;
  options.sync = write.sync;
  options.memtable_insert_hint_per_batch = true;
  const rocksdb::Status written = database_->Write(options, &batch_);
  if (batch_.GetDataSize() > rocks_journal::kKeptBytes) batch_ = rocksdb::WriteBatch();
  if (!written.ok()) return rocks_status(written);
  if (!marked_open_) TRY(mark_open());
  unacknowledged_.clear();
  last_sequence_ = database_->GetLatestSequenceNumber();
  if (!write.changes.empty()) written_ = write.changes.back().entry->mod_revision().value;
  return {};
}

// REQUIRES: the write was synced. That made the directory entry of the log durable, too: from now
// on its absence means damage.
Result<void> RocksJournal::mark_open() {
  const uint64_t log = TRY(current_log(*database_));
  TRY(directory_.relabel(DirectoryLabel::State::kOpen, Revision{written_.load()}, log));
  marked_open_ = true;
  set_database(database_);
  return {};
}

Result<Revision> RocksJournal::reopen() {
  const DiskSpace space = disk();
  if (space.total_bytes != 0 && space.free_bytes < rocks_journal::kBytesToReopen) {
    return Status(Reason::kInsufficientStorage,
                  "only " + std::to_string(space.free_bytes) + " bytes are free");
  }
  set_database(nullptr);
  TRY(settle_logs(directory_.database(), directory_.label(), Tails::kRepair, last_sequence_));
  DatabasePtr database = TRY(open_database(directory_.database(), Access::kWrite, env_, guard_));
  if (guard_ != nullptr && guard_->take_failed_sync()) {
    // Everything goes to a new file, and the logs are not needed any more.
    const rocksdb::Status flushed = rocks_journal::flush(*database);
    if (!flushed.ok()) guard_->note_failed_sync();
    if (!flushed.ok()) return rocks_status(flushed);
  }
  if (guard_ != nullptr) guard_->forget_trouble();
  const Revision last = TRY(rocks_journal::last_revision(*database));
  last_sequence_ = database->GetLatestSequenceNumber();
  set_database(std::move(database));
  return last;
}

bool RocksJournal::reclaim(uint64_t live_bytes) {
  if (guard_ != nullptr) guard_->expect_live_bytes(live_bytes);
  uint64_t unflushed = 0;
  database_->GetIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &unflushed);
  // Values that were deleted again are not flushed.
  if (disk().free_bytes < std::min(unflushed, live_bytes)) return false;
  // A failure shows as trouble(), or the next attempt succeeds.
  if (!rocks_journal::flush(*database_).ok()) return false;
  if (directory_.disk_bytes() > rocks_journal::kQuicklyCompacted) return true;
  rocksdb::CompactRangeOptions everything;
  everything.allow_write_stall = true;
  everything.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  return database_->CompactRange(everything, nullptr, nullptr).ok();
}

void RocksJournal::rest() {
  uint64_t unflushed = 0;
  database_->GetIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &unflushed);
  if (unflushed < rocks_journal::kWorthFlushing || room() != Room::kEnough) return;
  rocksdb::FlushOptions options;
  options.wait = false;
  options.allow_write_stall = true;
  // A failure shows as trouble(); everything is in the log as before.
  static_cast<void>(database_->Flush(options));
}

bool RocksJournal::has_room_for(uint64_t bytes) {
  return guard_ == nullptr || guard_->has_room_for(bytes);
}

bool RocksJournal::restore_reserves() { return guard_ == nullptr || guard_->restore(); }

std::optional<Status> RocksJournal::trouble() const {
  return guard_ == nullptr ? std::nullopt : guard_->trouble();
}

Room RocksJournal::room() const { return guard_ == nullptr ? Room::kEnough : guard_->room(); }

bool RocksJournal::is_pressed() const { return guard_ != nullptr && guard_->is_pressed(); }

DiskSpace RocksJournal::disk() const { return guard_ == nullptr ? DiskSpace() : guard_->space(); }

void RocksJournal::listen(std::function<void()> changed) {
  if (guard_ != nullptr) guard_->listen(std::move(changed));
}

Result<DatabasePtr> RocksJournal::shared_database() const {
  MutexLock lock(mutex_);
  if (shared_ != nullptr) return shared_;
  return Status(Reason::kServiceUnavailable, "the store is not open for writing");
}

Result<void> RocksJournal::checkpoint(const std::string& directory) {
  const DatabasePtr database = TRY(shared_database());
  SystemFiles files;
  if (TRY(files.exists(directory)) && !TRY(files.list(directory)).empty()) {
    return Status(Reason::kAlreadyExists, directory + " is not empty: name a new directory");
  }
  TRY(files.make_dirs(directory, 0700));
  const Revision at_least = std::max(Revision{written_.load()}, directory_.label().revision);
  rocksdb::Checkpoint* made = nullptr;
  const rocksdb::Status created = rocksdb::Checkpoint::Create(database.get(), &made);
  if (!created.ok()) return rocks_status(created);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const rocksdb::Status copied = checkpoint->CreateCheckpoint(directory + "/db", 0);
  if (!copied.ok()) return rocks_status(copied);
  // The label comes last: without it the directory is not a store.
  DirectoryLabel label = directory_.label();
  label.state = DirectoryLabel::State::kCopy;
  label.revision = at_least;
  return StoreDirectory::label(directory, label);
}

Result<void> RocksJournal::close(Revision revision) {
  rocksdb::Status status = rocks_journal::flush(*database_);
  if (status.ok()) status = database_->Close();
  if (!status.ok()) return rocks_status(status);
  set_database(nullptr);
  return directory_.relabel(DirectoryLabel::State::kClosed, revision);
}

}  // namespace proa::store
