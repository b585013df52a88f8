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
// Everything before the key and the value, which are contiguous in the entry.
void encode_record_header(const Entry& entry, bool last, Revision durable, std::string& out);
// Input is not trusted: malformed records are a Status, and no memory is allocated for a length
// beyond the input.
Result<Record> decode_record(std::string_view name, std::string_view value);

std::string encode_facts(const JournalFacts& facts);
Result<JournalFacts> decode_facts(std::string_view value);

}  // namespace proa::store
