#include "store/rocks/record.h"

#include <limits>

namespace proa::store {
namespace record {

constexpr size_t kNameSize = 12;
constexpr char kRecordFormat = 1;
constexpr char kFactsFormat = 1;
constexpr std::string_view kFactsName("\0\0\0\0\0\0\0\0\0\0\0\0", kNameSize);

// Versions that do not know a flag refuse the record: they would serve a transformed value as it
// is.
enum Flag : uint8_t { kDeleted = 1, kLast = 2, kExpires = 4, kTransformed = 8 };
constexpr uint8_t kAllFlags = kDeleted | kLast | kExpires | kTransformed;
constexpr size_t kFlagsAt = 1;  // of a header

void put_big_endian(std::string& out, uint64_t number, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> shift));
  }
}

void put_varint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

// Reads from the front of a text; after a failure it returns zeros.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

  std::string_view bytes(uint64_t count) {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint8_t byte() {
    const std::string_view one = bytes(1);
    return failed_ ? 0 : static_cast<uint8_t>(one[0]);
  }
  uint64_t big_endian(int count) {
    uint64_t number = 0;
    for (const char byte : bytes(static_cast<uint64_t>(count))) {
      number = number << 8 | static_cast<uint8_t>(byte);
    }
    return number;
  }
  // Our numbers are never negative: the top bit is rejected.
  int64_t varint() {
    uint64_t number = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const uint8_t next = byte();
      number |= static_cast<uint64_t>(next & 0x7f) << shift;
      if (failed_) return 0;
      if ((next & 0x80) == 0) return static_cast<int64_t>(number);
    }
    failed_ = true;
    return 0;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

Status malformed(std::string_view what) {
  return {Reason::kInternalError, "malformed record: " + std::string(what)};
}

}  // namespace record

std::string record_name(Revision revision, uint32_t index) {
  std::string name;
  name.reserve(record::kNameSize);
  record::put_big_endian(name, static_cast<uint64_t>(revision.value), 8);
  record::put_big_endian(name, index, 4);
  return name;
}

std::string_view facts_name() { return record::kFactsName; }

Result<RecordName> parse_record_name(std::string_view name) {
  if (name.size() != record::kNameSize) return record::malformed("name of a foreign length");
  record::Reader reader(name);
  const uint64_t revision = reader.big_endian(8);
  const uint64_t index = reader.big_endian(4);
  if (revision == 0 || revision > static_cast<uint64_t>(std::numeric_limits<int64_t>::max() / 2)) {
    return record::malformed("revision out of range");
  }
  return RecordName{{static_cast<int64_t>(revision)}, static_cast<uint32_t>(index)};
}

void encode_record_header(const Entry& entry, bool last, Revision durable, std::string& out,
                          bool transformed) {
  out.clear();
  uint8_t flags = 0;
  if (entry.deleted()) flags |= record::kDeleted;
  if (last) flags |= record::kLast;
  if (entry.expiry()) flags |= record::kExpires;
  if (transformed) flags |= record::kTransformed;
  out.push_back(record::kRecordFormat);
  out.push_back(static_cast<char>(flags));
  const int64_t revision = entry.mod_revision().value;
  record::put_varint(out, static_cast<uint64_t>(revision - durable.value));
  if (!entry.deleted()) {
    record::put_varint(out, static_cast<uint64_t>(revision - entry.create_revision().value));
    record::put_varint(out, static_cast<uint64_t>(entry.version()));
  }
  if (entry.expiry()) {
    const int64_t expiry = entry.expiry()->time_since_epoch().count();
    record::put_big_endian(out, static_cast<uint64_t>(expiry), 8);
  }
  record::put_varint(out, entry.key().size());
}

Result<Record> decode_record(std::string_view name, std::string_view value) {
  const RecordName id = TRY(parse_record_name(name));
  record::Reader reader(value);
  if (reader.byte() != record::kRecordFormat) return record::malformed("unknown format");
  const uint8_t flags = reader.byte();
  if ((flags & ~record::kAllFlags) != 0) return record::malformed("unknown flags");
  Entry::Facts facts{.mod_revision = id.revision,
                     .index = id.index,
                     .deleted = (flags & record::kDeleted) != 0,
                     .sealed = (flags & record::kTransformed) != 0};
  const int64_t behind = reader.varint();
  if (!facts.deleted) {
    facts.create_revision = Revision{id.revision.value - reader.varint()};
    facts.version = reader.varint();
  }
  if ((flags & record::kExpires) != 0) {
    facts.expiry = Time(Duration(static_cast<int64_t>(reader.big_endian(8))));
  }
  const std::string_view key = reader.bytes(static_cast<uint64_t>(reader.varint()));
  if (reader.failed()) return record::malformed("it ends too early");
  if (key.empty()) return record::malformed("empty key");
  if (facts.deleted && (facts.expiry || facts.sealed || !reader.rest().empty())) {
    return record::malformed("a deleted key with a value");
  }
  if (!facts.deleted && (facts.create_revision.value <= 0 || facts.version <= 0)) {
    return record::malformed("impossible revisions");
  }
  if (behind <= 0 || behind > id.revision.value) return record::malformed("impossible durability");
  if (reader.rest().size() > std::numeric_limits<uint32_t>::max()) {
    return record::malformed("too long");
  }
  return Record{.entry = Entry::make(key, reader.rest(), facts),
                .last = (flags & record::kLast) != 0,
                .durable = Revision{id.revision.value - behind}};
}

Result<RecordParts> split_record(std::string_view value) {
  record::Reader reader(value);
  if (reader.byte() != record::kRecordFormat) return record::malformed("unknown format");
  const uint8_t flags = reader.byte();
  if ((flags & ~record::kAllFlags) != 0) return record::malformed("unknown flags");
  const bool deleted = (flags & record::kDeleted) != 0;
  reader.varint();  // durability
  if (!deleted) {
    reader.varint();  // revision of the creation
    reader.varint();  // version
  }
  if ((flags & record::kExpires) != 0) reader.big_endian(8);
  const int64_t key_size = reader.varint();
  const std::string_view header = value.substr(0, value.size() - reader.rest().size());
  const std::string_view key = reader.bytes(static_cast<uint64_t>(key_size));
  if (reader.failed()) return record::malformed("it ends too early");
  return RecordParts{.header = header,
                     .key = key,
                     .value = {reader.rest(), (flags & record::kTransformed) != 0},
                     .deleted = deleted};
}

std::string header_with_form(std::string_view header, bool transformed) {
  std::string changed(header);
  const auto flags = static_cast<uint8_t>(changed[record::kFlagsAt] & ~record::kTransformed);
  changed[record::kFlagsAt] = static_cast<char>(transformed ? flags | record::kTransformed : flags);
  return changed;
}

std::string encode_facts(const JournalFacts& facts) {
  std::string out(1, record::kFactsFormat);
  record::put_varint(out, static_cast<uint64_t>(facts.compacted.value));
  record::put_varint(out, static_cast<uint64_t>(facts.ceiling.value));
  record::put_varint(out, facts.gaps.size());
  for (const Gap& gap : facts.gaps) {
    record::put_varint(out, static_cast<uint64_t>(gap.after.value));
    record::put_varint(out, static_cast<uint64_t>(gap.through.value));
  }
  return out;
}

Result<JournalFacts> decode_facts(std::string_view value) {
  record::Reader reader(value);
  if (reader.byte() != record::kFactsFormat)
    return record::malformed("unknown format of the facts");
  JournalFacts facts{.compacted = {reader.varint()}, .ceiling = {reader.varint()}};
  const int64_t gaps = reader.varint();
  for (int64_t i = 0; i < gaps && !reader.failed(); ++i) {
    const Gap gap{{reader.varint()}, {reader.varint()}};
    const Revision before = facts.gaps.empty() ? Revision{} : facts.gaps.back().through;
    if (gap.after >= gap.through || gap.after < before) return record::malformed("impossible gap");
    facts.gaps.push_back(gap);
  }
  if (reader.failed() || !reader.rest().empty())
    return record::malformed("facts of a wrong length");
  return facts;
}

}  // namespace proa::store
