#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/engine/journal.h"

// The format of changes on disk: docs/decisions/0002-store-layout.md.
namespace proa::store {

// Record names: revision and index, both big endian, so that their order is the order of changes.
// Revision zero holds the facts.
std::string record_name(Revision revision, uint32_t index);
std::string_view facts_name();

struct RecordName {
  Revision revision;
  uint32_t index = 0;
};
Result<RecordName> parse_record_name(std::string_view name);

struct Record {
  EntryPtr entry;
  bool last = false;  // of its commit
  // The last durable revision when this was written.
  Revision durable;
};
// Everything before the key and the value. `transformed`: the value has another form on disk.
void encode_record_header(const Entry& entry, bool last, Revision durable, std::string& out,
                          bool transformed = false);
// Input is not trusted: malformed records are a Status, and no memory is allocated for a length
// beyond the input.
// Transformed values stay so: the entry is sealed.
Result<Record> decode_record(std::string_view name, std::string_view value);

// The parts of a record, as views into it.
struct RecordParts {
  std::string_view header;
  std::string_view key;
  DiskValue value;
  bool deleted = false;
};
// Input is not trusted.
Result<RecordParts> split_record(std::string_view value);
// A header for a value of another form. REQUIRES: of split_record().
std::string header_with_form(std::string_view header, bool transformed);

std::string encode_facts(const JournalFacts& facts);
Result<JournalFacts> decode_facts(std::string_view value);

}  // namespace proa::store
