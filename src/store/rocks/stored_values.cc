// The form of values on disk: reading it, verifying that it can be read, changing it.
#include "store/rocks/stored_values.h"

#include <rocksdb/db.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "base/files.h"
#include "store/rocks/record.h"
#include "store/rocks/rocks_journal.h"

namespace proa::store {
namespace stored_values {

// What is examined, and rewritten, before commits get their turn again: a few milliseconds.
constexpr size_t kMaxExamined = 2048;
constexpr size_t kMaxExaminedBytes = 8u << 20;
constexpr size_t kMaxRewrittenBytes = 2u << 20;
constexpr int kDeletionTries = 1000;
constexpr std::chrono::milliseconds kDeletionInterval(10);

std::unique_ptr<rocksdb::Iterator> begin_at(rocksdb::DB& database, const std::string& from) {
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  options.readahead_size = 256u << 10;
  std::unique_ptr<rocksdb::Iterator> at(database.NewIterator(options));
  if (from.empty()) {
    at->SeekToFirst();
    if (at->Valid() && at->key().ToStringView() == facts_name()) at->Next();
  } else {
    at->Seek(from);
  }
  return at;
}

// Whether files are there that the database does not need any more: tables, and logs up to a
// number.
Result<bool> has_former_files(rocksdb::DB& database, uint64_t last_log) {
  std::vector<std::string> live;
  uint64_t unused = 0;
  const rocksdb::Status status = database.GetLiveFiles(live, &unused, false);
  if (!status.ok()) return rocks_status(status);
  SystemFiles files;
  for (const std::string& name : TRY(files.list(database.GetName()))) {
    const bool table = name.ends_with(".sst");
    if (table && std::find(live.begin(), live.end(), "/" + name) == live.end()) return true;
    if (name.ends_with(".log") && std::strtoull(name.c_str(), nullptr, 10) <= last_log) return true;
  }
  return false;
}

// By itself RocksDB forgets logs that an earlier process left. Allowing deletions makes it look at
// all files; it does not delete while a checkpoint forbids it.
Result<void> delete_former_files(rocksdb::DB& database) {
  rocksdb::Status status = database.DisableFileDeletions();
  if (status.ok()) status = database.EnableFileDeletions(false);
  if (!status.ok()) return rocks_status(status);
  return {};
}

// RocksDB deletes files in the background, and not while they are being copied.
Result<void> wait_until_deleted(rocksdb::DB& database, uint64_t last_log,
                                const std::stop_token& stop) {
  for (int tries = 0; tries < kDeletionTries; ++tries) {
    const bool left = TRY(has_former_files(database, last_log));
    if (!left) return {};
    if (stop.stop_requested()) return Status(Reason::kTimeout, "stopped");
    TRY(delete_former_files(database));
    std::this_thread::sleep_for(kDeletionInterval);
  }
  return Status(Reason::kConflict,
                "former files of the store are still in use, by a backup for example; try again "
                "when it is done");
}

// Makes deletions survive a power loss.
Result<void> sync_directory(rocksdb::DB& database) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status = database.GetFileSystem()->NewDirectory(
      database.GetName(), rocksdb::IOOptions(), &directory, nullptr);
  if (status.ok()) status = directory->Fsync(rocksdb::IOOptions(), nullptr);
  if (!status.ok()) return rocks_status(status);
  return {};
}

std::string after(std::string_view name) { return std::string(name) + '\0'; }

}  // namespace stored_values

Result<std::optional<std::string>> read_value(const ValueTransformer& reader, std::string_view key,
                                              const DiskValue& stored) {
  Result<std::optional<std::string>> value = reader.from_disk(key, stored);
  if (!value.ok()) {
    return Status(value.status().reason(), "unable to transform key \"" + std::string(key) +
                                               "\": " + value.status().message());
  }
  return value;
}

Result<std::string> RocksJournal::verify_values(const ValueTransformer& reader,
                                                const std::string& from) const {
  const DatabasePtr database = TRY(shared_database());
  std::string next = from;
  const auto at = stored_values::begin_at(*database, from);
  for (; at->Valid(); at->Next()) {
    const RecordParts parts = TRY(split_record(at->value().ToStringView()));
    if (!parts.deleted) TRY(read_value(reader, parts.key, parts.value));
    next = stored_values::after(at->key().ToStringView());
  }
  if (!at->status().ok()) return rocks_status(at->status());
  return next;
}

Result<bool> RocksJournal::reencode_record(std::string_view name, std::string_view record,
                                           const EntryFinder& find) {
  const RecordParts parts = TRY(split_record(record));
  if (parts.deleted || !transformer_->is_stale(parts.key, parts.value)) return false;
  const RecordName id = TRY(parse_record_name(name));
  const EntryPtr entry = find(parts.key, id.revision);
  std::optional<std::string> decoded;  // of a version that memory does not have
  std::string_view plain = parts.value.bytes;
  if (entry != nullptr) {
    plain = entry->value();
  } else {
    decoded = TRY(read_value(*transformer_, parts.key, parts.value));
    if (decoded) plain = *decoded;
  }
  stored_.clear();
  const bool transformed = TRY(transformer_->to_disk(parts.key, plain, stored_));
  header_ = header_with_form(parts.header, transformed);
  const rocksdb::Slice name_slice(name);
  const std::array<rocksdb::Slice, 3> changed = {header_, parts.key,
                                                 transformed ? std::string_view(stored_) : plain};
  // A record is written once before it is deleted (fill_batch), so the old one is deleted first.
  rocksdb::Status status = batch_.SingleDelete(name_slice);
  if (status.ok()) {
    status = batch_.Put(database_->DefaultColumnFamily(), rocksdb::SliceParts(&name_slice, 1),
                        rocksdb::SliceParts(changed.data(), static_cast<int>(changed.size())));
  }
  if (!status.ok()) return rocks_status(status);
  return true;
}

Result<Reencoded> RocksJournal::reencode(const std::string& from, const EntryFinder& find) {
  Reencoded done;
  if (transformer_ == nullptr) return done;
  batch_.Clear();
  size_t bytes = 0;
  const auto at = stored_values::begin_at(*database_, from);
  for (; at->Valid(); at->Next()) {
    const bool enough = done.examined == stored_values::kMaxExamined ||
                        bytes > stored_values::kMaxExaminedBytes ||
                        batch_.GetDataSize() > stored_values::kMaxRewrittenBytes;
    if (enough) {
      done.next = at->key().ToString();
      break;
    }
    ++done.examined;
    bytes += at->value().size();
    const bool rewritten =
        TRY(reencode_record(at->key().ToStringView(), at->value().ToStringView(), find));
    if (rewritten) ++done.rewritten;
  }
  if (!at->status().ok()) return rocks_status(at->status());
  if (batch_.Count() == 0) return done;
  // Synced, though a crash may lose it: a torn batch must not be followed by commits whose records
  // say what was durable (settle_logs).
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const rocksdb::Status written = database_->Write(synced, &batch_);
  batch_ = rocksdb::WriteBatch();  // its memory is larger than commits need
  if (!written.ok()) {
    done.write_failure = rocks_status(written);
    return done;
  }
  last_sequence_ = database_->GetLatestSequenceNumber();
  return done;
}

Result<void> RocksJournal::purge(const std::stop_token& stop) {
  const DatabasePtr database = TRY(shared_database());
  const uint64_t log = TRY(current_log(*database));
  // The flush ends the write-ahead logs, the compaction rewrites every table.
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;
  const rocksdb::Status flushed = database->Flush(flush);
  if (!flushed.ok()) return rocks_status(flushed);
  rocksdb::CompactRangeOptions everything;
  everything.allow_write_stall = true;
  everything.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  const rocksdb::Status compacted = database->CompactRange(everything, nullptr, nullptr);
  if (!compacted.ok()) return rocks_status(compacted);
  // Without anything to flush, the log has nothing, and stays.
  const uint64_t next_log = TRY(current_log(*database));
  TRY(stored_values::wait_until_deleted(*database, next_log > log ? log : log - 1, stop));
  return stored_values::sync_directory(*database);
}

}  // namespace proa::store
