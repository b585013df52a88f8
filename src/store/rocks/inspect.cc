#include "store/rocks/inspect.h"

#include <rocksdb/db.h>

#include <limits>
#include <map>

#include "store/rocks/database.h"
#include "store/rocks/log_scan.h"
#include "store/rocks/rocks_journal.h"

namespace proa::store {
namespace inspect {

// Read-only: a torn tail is left in place.
Result<DatabasePtr> open_read_only(const StoreDirectory& directory) {
  const std::string path = directory.database();
  TRY(settle_logs(path, directory.label(), Tails::kKeep));
  return open_database(path, Access::kRead, nullptr, nullptr);
}

Result<StoreDirectory> open_directory(const std::string& path) {
  SystemRandom unused;
  StoreDirectory directory =
      TRY(StoreDirectory::open(path, StoreDirectory::Missing::kRefuse, unused));
  if (directory.label().state == DirectoryLabel::State::kNew) {
    return Status(Reason::kInvalid,
                  "the store in " + path +
                      " was never initialised: it is empty; start proa with it, or "
                      "remove the directory");
  }
  return directory;
}

// "/registry/pods/" of "/registry/pods/default/web": what an operator counts by.
std::string_view group_of(std::string_view key) {
  size_t end = key.starts_with('/') ? 1 : 0;
  for (int segment = 0; segment < 2; ++segment) {
    end = key.find('/', end);
    if (end == std::string_view::npos) return key;
    ++end;
  }
  return key.substr(0, end);
}

Status refused(const std::string& path, const Status& why) {
  return {why.reason(),
          "cannot read the store in " + path + ": " + why.message() + open_advice(path)};
}

StoreSummary summarize(const StoreDirectory& directory, const Loaded& loaded) {
  const Keyspace& keyspace = loaded.keyspace;
  const DirectoryLabel& label = directory.label();
  StoreSummary summary{.format = label.format,
                       .id = label.id,
                       .revision = keyspace.revision(),
                       .compacted = keyspace.compacted(),
                       .ceiling = std::max(loaded.facts.ceiling, keyspace.revision()),
                       .keys = keyspace.keys(),
                       .history = keyspace.history().size(),
                       .history_bytes = keyspace.history_bytes(),
                       .disk_bytes = directory.disk_bytes(),
                       .clean_shutdown = label.state == DirectoryLabel::State::kClosed};
  std::map<std::string, PrefixSummary, std::less<>> prefixes;
  const auto add = [&](const EntryPtr& entry) {
    const std::string_view group = group_of(entry->key());
    auto found = prefixes.find(group);
    if (found == prefixes.end()) {
      found = prefixes.emplace(group, PrefixSummary{.prefix = std::string(group)}).first;
    }
    ++found->second.keys;
    found->second.bytes += entry->key_and_value().size();
    summary.live_bytes += entry->key_and_value().size();
    if (entry->sealed()) ++summary.sealed;
    return true;
  };
  keyspace.scan(KeyRange{}, keyspace.revision(), std::numeric_limits<size_t>::max(), add);
  for (auto& [name, prefix] : prefixes) summary.prefixes.push_back(std::move(prefix));
  return summary;
}

// Invariants between entries that load_database() cannot check one by one.
std::vector<std::string> check_history(const Keyspace& keyspace) {
  std::vector<std::string> problems;
  for (const Event& event : keyspace.history()) {
    const Entry& entry = *event.entry;
    const bool exists = event.previous != nullptr;
    const int64_t version = exists ? event.previous->version() + 1 : 1;
    const Revision created = exists ? event.previous->create_revision() : entry.mod_revision();
    const bool fits =
        entry.deleted() ? exists : entry.version() == version && entry.create_revision() == created;
    if (!fits) {
      problems.push_back("revision " + std::to_string(entry.mod_revision().value) + " of " +
                         std::string(entry.key()) + " does not continue the version before it");
    }
  }
  return problems;
}

}  // namespace inspect

Result<StoreSummary> inspect_store(const std::string& directory) {
  const StoreDirectory opened = TRY(inspect::open_directory(directory));
  const Result<DatabasePtr> database = inspect::open_read_only(opened);
  if (!database.ok()) return inspect::refused(directory, database.status());
  const Result<Loaded> loaded = load_database(**database, nullptr);
  if (!loaded.ok()) return inspect::refused(directory, loaded.status());
  return inspect::summarize(opened, *loaded);
}

Result<StoreProblems> check_store(const std::string& directory, const EntryCheck& check,
                                  const ValueTransformer* transformer) {
  const StoreDirectory opened = TRY(inspect::open_directory(directory));
  StoreProblems found;
  std::vector<std::string>& problems = found.damage;
  const std::string advice = "; restore it with `proa restore FILE --force`";
  const Result<DatabasePtr> database = inspect::open_read_only(opened);
  if (!database.ok()) {
    problems.push_back(database.status().message() + advice);
    return found;
  }
  // Includes blocks without live data.
  const rocksdb::Status checksums = (*database)->VerifyChecksum();
  if (!checksums.ok()) problems.push_back(checksums.ToString() + advice);
  Result<Loaded> loaded = load_database(**database, transformer);
  if (loaded.is(Reason::kForbidden) || loaded.is(Reason::kServiceUnavailable)) {
    return loaded.status();
  }
  if (!loaded.ok()) {
    // A block with a wrong checksum cannot be loaded either: that is one error.
    if (problems.empty()) problems.push_back(loaded.status().message() + advice);
    return found;
  }
  const Result<void> settled = settle_revisions(opened.label(), *loaded);
  if (!settled.ok()) problems.push_back(settled.status().message() + advice);
  for (std::string& problem : inspect::check_history(loaded->keyspace)) {
    problems.push_back(std::move(problem) + advice);
  }
  if (problems.empty()) {
    const Keyspace& keyspace = loaded->keyspace;
    const auto look = [&](const EntryPtr& entry) {
      if (entry->sealed()) ++found.sealed;
      if (entry->sealed() || check == nullptr) return true;
      if (std::optional<std::string> problem = check(*entry))
        found.entries.push_back(std::move(*problem));
      return true;
    };
    keyspace.scan(KeyRange{}, keyspace.revision(), std::numeric_limits<size_t>::max(), look);
  }
  return found;
}

Result<CompactionSummary> compact_store(const std::string& directory) {
  StoreDirectory opened = TRY(inspect::open_directory(directory));
  CompactionSummary summary{.bytes_before = opened.disk_bytes()};
  const auto compact = [&]() -> Result<void> {
    RocksJournal journal(std::move(opened), nullptr, nullptr);
    Loaded loaded = TRY(journal.load(Access::kWrite));
    summary.history_dropped = loaded.keyspace.history().size();
    const Revision revision = loaded.keyspace.revision();
    std::vector<EntryPtr> garbage;
    loaded.facts.compacted =
        loaded.keyspace.compact(revision, std::numeric_limits<size_t>::max(), garbage);
    loaded.facts.gaps = loaded.keyspace.gaps();
    TRY(journal.write({.garbage = garbage, .facts = &loaded.facts, .sync = true}));
    rocksdb::CompactRangeOptions everything;
    everything.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    const rocksdb::Status compacted = journal.database().CompactRange(everything, nullptr, nullptr);
    if (!compacted.ok()) return rocks_status(compacted);
    TRY(journal.close(revision));
    summary.bytes_after = journal.disk_bytes();
    return {};
  };
  const Result<void> done = compact();
  if (!done.ok()) return inspect::refused(directory, done.status());
  return summary;
}

}  // namespace proa::store
