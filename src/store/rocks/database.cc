#include "store/rocks/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/transaction_log.h>

#include "base/log.h"
#include "store/rocks/disk/guarded_file_system.h"
#include "store/rocks/log_file_system.h"
#include "store/rocks/record.h"
#include "store/rocks/stored_values.h"

namespace proa::store {
namespace database {

// A restored copy continues this far after its last revision: the original may have handed out
// more, and clients that saw them must not take ours for them.
constexpr int64_t kCopyDistance = 1'000'000'000;

const Log kLog{"store"};

// Passes failures in the background on. The store recovers from them itself, by reopening the
// database.
class FailureListener final : public rocksdb::EventListener {
 public:
  explicit FailureListener(std::shared_ptr<DiskGuard> guard) : guard_(std::move(guard)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    // RocksDB tries it again every second; until then there is more garbage on the disk.
    if (reason == rocksdb::BackgroundErrorReason::kCompaction && is_out_of_space(*error)) {
      if (!postponed_.exchange(true)) {
        kLog.warn("compaction postponed: the disk has no room for it");
      }
      *error = rocksdb::Status::OK();
      return;
    }
    guard_->note_trouble(rocks_status(*error));
  }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* automatic) override {
    *automatic = false;
  }
  void OnCompactionCompleted(rocksdb::DB*, const rocksdb::CompactionJobInfo& job) override {
    if (job.status.ok()) postponed_ = false;
  }

 private:
  const std::shared_ptr<DiskGuard> guard_;
  std::atomic<bool> postponed_ = false;
};

rocksdb::Options options(Access access, rocksdb::Env* env,
                         const std::shared_ptr<DiskGuard>& guard) {
  const DiskPlan plan = guard == nullptr ? plan_for_disk(0) : guard->plan();
  rocksdb::Options options;
  options.env = env;
  options.create_if_missing = access == Access::kCreate;
  options.error_if_exists = access == Access::kCreate;
  options.paranoid_checks = true;
  options.track_and_verify_wals_in_manifest = true;
  // Torn tails are already repaired: anything that RocksDB finds now is damage. A read-only open
  // leaves a harmless tail in place.
  options.wal_recovery_mode = access == Access::kRead
                                  ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                  : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  // The live set is in memory and nothing is read after the start, so RocksDB gets little.
  options.write_buffer_size = plan.write_buffer_bytes;
  options.max_write_buffer_number = 3;
  options.arena_block_size = 256u << 10;
  options.max_background_jobs = 2;
  // Few descriptors: connections must not take those of a store that opens a file.
  options.max_open_files = 128;
  // A flush at the start would need space that a full disk does not have.
  options.avoid_flush_during_recovery = guard != nullptr && guard->room() != Room::kEnough;
  // Nothing is read here, so each extra file only costs a write buffer of disk, and a compaction
  // that does not fit on the disk must not stop writes.
  options.level0_file_num_compaction_trigger = plan.level0_files;
  options.level0_slowdown_writes_trigger = 40;
  options.level0_stop_writes_trigger = 10'000;
  options.manifest_preallocation_size = 64u << 10;
  if (guard != nullptr) options.listeners = {std::make_shared<FailureListener>(guard)};
  options.target_file_size_base = 64u << 20;
  options.compression = rocksdb::kNoCompression;
  options.max_file_opening_threads = 1;
  options.skip_stats_update_on_db_open = true;
  // One thread writes.
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  // No timers: an idle store is silent.
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.keep_log_file_num = 2;
  options.max_log_file_size = 1u << 20;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(512u << 10, 0);
  table.block_size = 32u << 10;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Status invalid(std::string what) { return {Reason::kInvalid, std::move(what)}; }

std::string text_of(Revision revision) { return std::to_string(revision.value); }

// Reads the records one by one and reports gaps.
class Loader {
 public:
  Loader(Loaded& loaded, const ValueTransformer* transformer)
      : loaded_(loaded), transformer_(transformer) {}

  Result<void> begin() {
    const JournalFacts& facts = loaded_.facts;
    loaded_.keyspace.begin_at(facts.compacted, facts.gaps);
    last_ = std::max(facts.compacted, Revision{1});
    return {};
  }

  Result<void> add(std::string_view name, std::string_view value) {
    const Result<Record> decoded = decode_record(name, value);
    if (!decoded.ok()) return invalid(decoded.status().message());
    Record record = *decoded;
    TRY(unseal(record.entry));
    const Revision revision = record.entry->mod_revision();
    if (revision <= loaded_.facts.compacted) return add_state(std::move(record));
    if (!hole_ && follows(record)) {
      last_ = revision;
      last_index_ = record.entry->index();
      complete_ = record.last;
      loaded_.keyspace.load(std::move(record.entry));
      return {};
    }
    hole_ = true;
    if (record.durable > last_) {
      return invalid("changes between revision " + text_of(last_) + " and " + text_of(revision) +
                     " are missing");
    }
    loaded_.unacknowledged.emplace_back(name);
    return {};
  }

  Result<void> end() {
    if (!complete_) return invalid("the commit " + text_of(last_) + " is incomplete");
    Revision last = last_;
    for (const Gap& gap : loaded_.facts.gaps) {
      if (gap.after <= last && last <= gap.through) last = gap.resumed();
    }
    loaded_.keyspace.continue_from(last);
    return {};
  }

 private:
  // Replaces the entry by one with the value that memory holds.
  Result<void> unseal(EntryPtr& entry) {
    if (entry->deleted()) return {};
    if (transformer_ == nullptr) {
      if (entry->sealed() && loaded_.sealed_key.empty()) loaded_.sealed_key = entry->key();
      return {};
    }
    const std::optional<std::string> plain = TRY(read_value(
        *transformer_, entry->key(), {.bytes = entry->value(), .transformed = entry->sealed()}));
    if (plain) entry = Entry::make_unsealed(*entry, *plain);
    return {};
  }

  Result<void> add_state(Record record) {
    if (record.entry->deleted() || loaded_.keyspace.find(record.entry->key()) != nullptr) {
      return invalid("revision " + text_of(record.entry->mod_revision()) +
                     " should have been compacted");
    }
    loaded_.keyspace.load(std::move(record.entry));
    return {};
  }

  bool follows(const Record& record) const {
    const Revision revision = record.entry->mod_revision();
    if (!complete_) return revision == last_ && record.entry->index() == last_index_ + 1;
    Revision expected = last_.next();
    for (const Gap& gap : loaded_.facts.gaps) {
      if (gap.contains(expected) || expected == gap.resumed()) expected = gap.resumed().next();
    }
    return revision == expected && record.entry->index() == 0;
  }

  Loaded& loaded_;
  const ValueTransformer* const transformer_;
  Revision last_;
  uint32_t last_index_ = 0;
  bool complete_ = true;
  bool hole_ = false;
};

}  // namespace database

Status rocks_status(const rocksdb::Status& status) {
  Reason reason = status.IsCorruption() ? Reason::kInvalid : Reason::kInternalError;
  if (is_out_of_space(status)) reason = Reason::kInsufficientStorage;
  return {reason, status.ToString()};
}

Result<uint64_t> current_log(rocksdb::DB& database) {
  std::unique_ptr<rocksdb::LogFile> log;
  const rocksdb::Status status = database.GetCurrentWalFile(&log);
  if (!status.ok()) return rocks_status(status);
  return log->LogNumber();
}

Result<DatabasePtr> open_database(const std::string& path, Access access, rocksdb::Env* env,
                                  const std::shared_ptr<DiskGuard>& guard) {
  if (env == nullptr) env = rocksdb::Env::Default();
  std::shared_ptr<rocksdb::FileSystem> files = make_log_file_system(env->GetFileSystem());
  if (guard != nullptr) files = make_guarded_file_system(files, guard);
  const std::shared_ptr<rocksdb::Env> own_env = rocksdb::NewCompositeEnv(files);
  const rocksdb::Options options = database::options(access, own_env.get(), guard);
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = access == Access::kRead
                                     ? rocksdb::DB::OpenForReadOnly(options, path, &opened)
                                     : rocksdb::DB::Open(options, path, &opened);
  if (is_out_of_space(status)) return rocks_status(status);
  if (!status.ok()) return Status(Reason::kInvalid, status.ToString());
  // The environment outlives the database.
  return DatabasePtr(opened, [own_env](rocksdb::DB* database) { delete database; });
}

Result<Loaded> load_database(rocksdb::DB& database, const ValueTransformer* transformer) {
  Loaded loaded;
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  // One buffer of this size per merged file, and there may be dozens.
  options.readahead_size = 256u << 10;
  const std::unique_ptr<rocksdb::Iterator> at(database.NewIterator(options));
  at->SeekToFirst();
  if (at->Valid() && at->key().ToStringView() == facts_name()) {
    loaded.facts = TRY(decode_facts(at->value().ToStringView()));
    at->Next();
  }
  database::Loader loader(loaded, transformer);
  TRY(loader.begin());
  for (; at->Valid(); at->Next()) {
    TRY(loader.add(at->key().ToStringView(), at->value().ToStringView()));
  }
  if (!at->status().ok()) return Status(Reason::kInvalid, at->status().ToString());
  TRY(loader.end());
  return loaded;
}

Result<void> settle_revisions(const DirectoryLabel& label, Loaded& loaded) {
  Keyspace& keyspace = loaded.keyspace;
  const Revision found = keyspace.revision();
  const bool exact = label.state == DirectoryLabel::State::kClosed;
  if (found < label.revision || (exact && found != label.revision)) {
    return database::invalid("the store was at revision " + database::text_of(label.revision) +
                             ", its database ends with " + database::text_of(found));
  }
  Revision ceiling = loaded.facts.ceiling;
  if (label.state == DirectoryLabel::State::kCopy) {
    ceiling = std::max(ceiling, Revision{found.value + database::kCopyDistance});
  }
  if (exact || ceiling <= found) return {};
  keyspace.skip({found, ceiling});
  loaded.facts.gaps = keyspace.gaps();
  return {};
}

}  // namespace proa::store
