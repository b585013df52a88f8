// Store records, metadata, labels and log files as on a corrupt or hostile disk.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/rocks/directory.h"
#include "store/rocks/log_scan.h"
#include "store/rocks/record.h"

namespace proa::store {
namespace store_record_fuzz {

// Decoded records encode to the same bytes.
void check_record(std::string_view name, std::string_view value) {
  const Result<Record> record = decode_record(name, value);
  if (!record.ok()) return;
  const Entry& entry = *record->entry;
  std::string again;
  encode_record_header(entry, record->last, record->durable, again);
  again.append(entry.key_and_value());
  const Result<Record> second =
      decode_record(record_name(entry.mod_revision(), entry.index()), again);
  if (!second.ok() || second->entry->key_and_value() != entry.key_and_value() ||
      second->entry->version() != entry.version() || second->durable != record->durable) {
    std::abort();
  }
}

void check_facts(std::string_view value) {
  const Result<JournalFacts> facts = decode_facts(value);
  if (!facts.ok()) return;
  const Result<JournalFacts> again = decode_facts(encode_facts(*facts));
  if (!again.ok() || *again != *facts) std::abort();
}

void check_label(std::string_view text) {
  const Result<DirectoryLabel> label = parse_label(text);
  if (label.ok() && !parse_label(print_label(*label)).ok()) std::abort();
}

void check_log(std::string_view file) {
  uint64_t end = 0;
  const LogScan scan = scan_log(
      file,
      [&](const LogRecord& record) {
        if (record.offset < end) std::abort();
        end = record.offset + record.payload.size();
      },
      [](const LogRecord&) {});
  if (scan.good_end > file.size()) std::abort();
}

}  // namespace store_record_fuzz
}  // namespace proa::store

// The first byte selects the decoder.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::store::store_record_fuzz;  // NOLINT: the entry point has no namespace
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      if (input.size() >= 12) check_record(input.substr(0, 12), input.substr(12));
      break;
    case 1:
      check_facts(input);
      break;
    case 2:
      check_label(input);
      break;
    default:
      check_log(input);
      break;
  }
  return 0;
}
