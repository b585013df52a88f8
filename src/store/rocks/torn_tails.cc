// Tells torn tails from damage, by what our records say about durability.
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <optional>

#include "base/files.h"
#include "store/rocks/log_scan.h"
#include "store/rocks/record.h"

namespace proa::store {
namespace torn_tails {

constexpr size_t kMaxLogBytes = 4ull << 30;

// The revisions in a batch of the write-ahead log.
class BatchReader final : public rocksdb::WriteBatch::Handler {
 public:
  rocksdb::Status PutCF(uint32_t, const rocksdb::Slice& name,
                        const rocksdb::Slice& value) override {
    const Result<RecordName> id = parse_record_name({name.data(), name.size()});
    if (!id.ok()) return rocksdb::Status::OK();
    last = std::max(last, id->revision);
    if (!want_durable) return rocksdb::Status::OK();
    const auto record = decode_record({name.data(), name.size()}, {value.data(), value.size()});
    if (record.ok()) durable = std::max(durable, record->durable);
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(uint32_t, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status SingleDeleteCF(uint32_t, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  void LogData(const rocksdb::Slice&) override {}

  bool want_durable = false;
  Revision last;
  Revision durable;
};

uint64_t little_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    number |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return number;
}

// RocksDB's sequence numbers of a batch, which begins with the first one (8 bytes) and their count
// (4 bytes).
struct Sequences {
  uint64_t first = 0;
  uint64_t last = 0;
};
Sequences sequences_of(const LogRecord& record) {
  const std::string_view payload = record.payload;
  if (payload.size() < 12) return {};
  const uint64_t first = little_endian(payload.substr(0, 8));
  return {first, first + std::max<uint64_t>(little_endian(payload.substr(8, 4)), 1) - 1};
}

void read_batch(const LogRecord& record, BatchReader& reader) {
  const rocksdb::WriteBatch batch(record.payload);
  static_cast<void>(batch.Iterate(&reader).ok());
}

Status damaged(const std::string& path, const LogScan& scan, std::string_view why) {
  return {Reason::kInvalid, path + " is damaged at byte " + std::to_string(scan.good_end) + ": " +
                                scan.problem + " (" + std::string(why) + ")"};
}

Result<void> cut(const std::string& path, uint64_t size) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno_status("opening " + path, errno);
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0 || ::fsync(file.get()) != 0) {
    return errno_status("truncating " + path, errno);
  }
  return {};
}

Result<void> settle_manifest(const std::string& path, Tails tails) {
  SystemFiles files;
  const std::string text = TRY(files.read_file(path, kMaxLogBytes));
  bool more = false;
  const LogScan scan = scan_log(
      text, [](const LogRecord&) {}, [&](const LogRecord&) { more = true; });
  if (!scan.bad()) return {};
  // Each record of the manifest was synced before the next was written.
  if (more) return damaged(path, scan, "whole records follow");
  if (!scan.looks_torn) return damaged(path, scan, "and it is not a torn write");
  return tails == Tails::kRepair ? cut(path, scan.good_end) : Result<void>();
}

// The end of what was read so far.
struct LogEnd {
  Revision revision;
  uint64_t sequence = 0;
};

// `last` is the end before this log, and afterwards in it.
Result<void> settle_wal(const std::string& path, LogEnd& last, Tails tails, uint64_t last_good) {
  const bool repair = tails == Tails::kRepair;
  SystemFiles files;
  const std::string text = TRY(files.read_file(path, kMaxLogBytes));
  BatchReader before;
  before.last = last.revision;
  BatchReader behind;
  behind.want_durable = true;
  bool more = false;
  std::optional<uint64_t> failed_at;
  const LogScan scan = scan_log(
      text,
      [&](const LogRecord& record) {
        const Sequences sequences = sequences_of(record);
        if (!failed_at && sequences.first > last_good) failed_at = record.offset;
        if (failed_at) return;
        last.sequence = std::max(last.sequence, sequences.last);
        read_batch(record, before);
      },
      [&](const LogRecord& record) {
        more = true;
        read_batch(record, behind);
      });
  last.revision = before.last;
  // Nothing was written after a write that failed.
  if (failed_at && repair) return cut(path, *failed_at);
  if (scan.bad() && repair && last.sequence == last_good) return cut(path, scan.good_end);
  if (!scan.bad()) {
    // Preallocated blocks without writes.
    return repair && scan.good_end < scan.size ? cut(path, scan.good_end) : Result<void>();
  }
  if (behind.durable > last.revision) {
    return damaged(path, scan,
                   "it is followed by records that were written when revision " +
                       std::to_string(behind.durable.value) + " was durable, only " +
                       std::to_string(last.revision.value) + " is readable");
  }
  if (!more && !scan.looks_torn) return damaged(path, scan, "and it is not a torn write");
  return repair ? cut(path, scan.good_end) : Result<void>();
}

uint64_t file_number(const std::string& name) {
  uint64_t number = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') break;
    number = number * 10 + static_cast<uint64_t>(digit - '0');
  }
  return number;
}

}  // namespace torn_tails

Result<void> settle_logs(const std::string& database, const DirectoryLabel& label, Tails tails,
                         uint64_t last_good) {
  SystemFiles files;
  if (!TRY(files.exists(database + "/CURRENT"))) {
    return Status(Reason::kInvalid, database + "/CURRENT is missing");
  }
  std::vector<std::string> logs;
  for (const std::string& name : TRY(files.list(database))) {
    if (name.ends_with(".log")) logs.push_back(name);
  }
  std::sort(logs.begin(), logs.end(), [](const std::string& a, const std::string& b) {
    return torn_tails::file_number(a) < torn_tails::file_number(b);
  });
  const bool present = !logs.empty() && torn_tails::file_number(logs.back()) >= label.log;
  if (label.state == DirectoryLabel::State::kOpen && !present) {
    return Status(Reason::kInvalid, "the write-ahead log in " + database + " is missing");
  }
  const std::string current = TRY(files.read_file(database + "/CURRENT", 4096));
  if (current.size() < 2 || current.back() != '\n' || !current.starts_with("MANIFEST-")) {
    return Status(Reason::kInvalid, database + "/CURRENT is damaged");
  }
  TRY(torn_tails::settle_manifest(database + "/" + current.substr(0, current.size() - 1), tails));
  torn_tails::LogEnd last{.revision = label.revision};
  for (const std::string& name : logs) {
    TRY(torn_tails::settle_wal(database + "/" + name, last, tails, last_good));
  }
  return {};
}

}  // namespace proa::store
