#include "store/rocks/rocks_journal.h"

#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>

#include <array>

#include "store/rocks/record.h"

namespace proa::store {
namespace rocks_journal {

// A batch keeps its memory for the next one, unless it was unusually large.
constexpr size_t kKeptBytes = 1u << 20;

}  // namespace rocks_journal

Result<void> RocksJournal::write(const JournalWrite& write) {
  batch_.Clear();
  for (size_t i = 0; i < write.changes.size(); ++i) {
    const Entry& entry = *write.changes[i].entry;
    const bool last = i + 1 == write.changes.size() ||
                      write.changes[i + 1].entry->mod_revision() != entry.mod_revision();
    encode_record_header(entry, last, write.durable, header_);
    const std::string name = record_name(entry.mod_revision(), entry.index());
    const rocksdb::Slice name_slice(name);
    const std::array<rocksdb::Slice, 2> value = {rocksdb::Slice(header_),
                                                 rocksdb::Slice(entry.key_and_value())};
    const rocksdb::Status put =
        batch_.Put(database_->DefaultColumnFamily(), rocksdb::SliceParts(&name_slice, 1),
                   rocksdb::SliceParts(value.data(), static_cast<int>(value.size())));
    if (!put.ok()) return rocks_status(put);
  }
  for (const EntryPtr& entry : write.garbage) {
    // Written once, deleted once: the two cancel out in a compaction.
    const rocksdb::Status deleted =
        batch_.SingleDelete(record_name(entry->mod_revision(), entry->index()));
    if (!deleted.ok()) return rocks_status(deleted);
  }
  if (write.facts != nullptr) {
    const rocksdb::Status put = batch_.Put(facts_name(), encode_facts(*write.facts));
    if (!put.ok()) return rocks_status(put);
  }
  if (batch_.Count() == 0) return {};
  rocksdb::WriteOptions options;
  options.sync = write.sync;
  options.memtable_insert_hint_per_batch = true;
  const rocksdb::Status written = database_->Write(options, &batch_);
  if (batch_.GetDataSize() > rocks_journal::kKeptBytes) batch_ = rocksdb::WriteBatch();
  if (!written.ok()) return rocks_status(written);
  if (!write.changes.empty()) written_ = write.changes.back().entry->mod_revision().value;
  return {};
}

Result<void> RocksJournal::checkpoint(const std::string& directory) {
  SystemFiles files;
  if (TRY(files.exists(directory)) && !TRY(files.list(directory)).empty()) {
    return Status(Reason::kAlreadyExists, directory + " is not empty: name a new directory");
  }
  TRY(files.make_dirs(directory, 0700));
  const Revision at_least = std::max(Revision{written_.load()}, directory_.label().revision);
  rocksdb::Checkpoint* made = nullptr;
  const rocksdb::Status created = rocksdb::Checkpoint::Create(database_.get(), &made);
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
  rocksdb::FlushOptions flush;
  rocksdb::Status status = database_->Flush(flush);
  if (status.ok()) status = database_->Close();
  if (!status.ok()) return rocks_status(status);
  database_.reset();
  return directory_.relabel(DirectoryLabel::State::kClosed, revision);
}

}  // namespace proa::store
