#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/engine/journal.h"

// How changes stand on disk. Docs: docs/decisions/0002-store-layout.md.
namespace proa::store {

// The names of records in the database: revision and index, both big endian, so that their order is
// the order of the changes. Revision zero is no change's: the facts stand there.
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
  // What was durable when this was written.
  Revision durable;
};
// What stands before the key and the value, which the entry has at hand in one piece.
void encode_record_header(const Entry& entry, bool last, Revision durable, std::string& out);
// All input is taken as hostile: what does not parse is a Status, and nothing is allocated for a
// length that is not there.
Result<Record> decode_record(std::string_view name, std::string_view value);

std::string encode_facts(const JournalFacts& facts);
Result<JournalFacts> decode_facts(std::string_view value);

}  // namespace proa::store
