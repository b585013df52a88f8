#include "dns/message/reader.h"

#include <cstring>

namespace proa::dns {
namespace reader {

constexpr uint8_t kPointer = 0xc0;
// Fixed part of a record behind its name: type, class, TTL, length.
constexpr size_t kRecordFixed = 10;

}  // namespace reader

Edns read_edns(const Record& record) {
  return {.udp_size = static_cast<uint16_t>(record.klass),
          .extended_rcode = static_cast<uint8_t>(record.ttl >> 24),
          .version = static_cast<uint8_t>(record.ttl >> 16),
          .dnssec_ok = (record.ttl & 0x8000U) != 0};
}

std::optional<Header> Reader::header() {
  if (message_.size() < kHeaderSize) {
    fail();
    return std::nullopt;
  }
  const uint8_t* at = message_.data();
  Header header;
  header.id = read16(at);
  header.response = (at[2] & 0x80U) != 0;
  header.opcode = static_cast<uint8_t>((at[2] >> 3) & 0xfU);
  header.authoritative = (at[2] & 0x04U) != 0;
  header.truncated = (at[2] & 0x02U) != 0;
  header.recursion_desired = (at[2] & 0x01U) != 0;
  header.recursion_available = (at[3] & 0x80U) != 0;
  header.authentic_data = (at[3] & 0x20U) != 0;
  header.checking_disabled = (at[3] & 0x10U) != 0;
  header.rcode = static_cast<Rcode>(at[3] & 0xfU);
  header.questions = read16(at + 4);
  header.answers = read16(at + 6);
  header.authorities = read16(at + 8);
  header.additionals = read16(at + 10);
  offset_ = kHeaderSize;
  return header;
}

bool Reader::read_name(size_t& offset, size_t end, Name& name) const {
  name.clear();
  size_t at = offset;
  size_t limit = end;
  size_t start = offset;  // of the run of labels that `at` is in
  bool jumped = false;
  while (true) {
    if (at >= limit) return false;
    const uint8_t length = message_[at];
    if (length == 0) {
      if (!jumped) offset = at + 1;
      return true;
    }
    if ((length & reader::kPointer) == reader::kPointer) {
      if (limit - at < 2) return false;
      const size_t target = static_cast<size_t>(length & 0x3fU) << 8 | message_[at + 1];
      // Strictly before the run that it ends: the runs get smaller, so there is an end.
      if (target < kHeaderSize || target >= start) return false;
      if (!jumped) offset = at + 2;
      jumped = true;
      limit = start;
      at = start = target;
      continue;
    }
    if (length > kMostLabel || limit - at - 1 < length) return false;
    if (!name.append({reinterpret_cast<const char*>(message_.data()) + at + 1, length})) {
      return false;
    }
    at += 1U + length;
  }
}

bool Reader::skip_name() {
  size_t size = 0;
  while (offset_ < message_.size()) {
    const uint8_t length = message_[offset_];
    if (length == 0) {
      ++offset_;
      return true;
    }
    if ((length & reader::kPointer) == reader::kPointer) {
      if (message_.size() - offset_ < 2) return fail();
      offset_ += 2;
      return true;
    }
    size += 1U + length;
    if (length > kMostLabel || size >= kMostName) return fail();
    offset_ += 1U + length;
  }
  return fail();
}

bool Reader::question(Question& question) {
  if (failed_ || !read_name(offset_, message_.size(), question.name)) return fail();
  if (message_.size() - offset_ < 4) return fail();
  question.type = static_cast<Type>(read16(message_.data() + offset_));
  question.klass = static_cast<Class>(read16(message_.data() + offset_ + 2));
  offset_ += 4;
  return true;
}

bool Reader::record(Record& record) {
  if (failed_ || !read_name(offset_, message_.size(), record.name)) return fail();
  if (message_.size() - offset_ < reader::kRecordFixed) return fail();
  const uint8_t* at = message_.data() + offset_;
  record.type = static_cast<Type>(read16(at));
  record.klass = static_cast<Class>(read16(at + 2));
  record.ttl = read32(at + 4);
  const size_t length = read16(at + 8);
  offset_ += reader::kRecordFixed;
  if (message_.size() - offset_ < length) return fail();
  record.data = message_.subspan(offset_, length);
  offset_ += length;
  return true;
}

bool Reader::skip_record() {
  if (failed_ || !skip_name()) return fail();
  if (message_.size() - offset_ < reader::kRecordFixed) return fail();
  const size_t length = read16(message_.data() + offset_ + 8);
  offset_ += reader::kRecordFixed;
  if (message_.size() - offset_ < length) return fail();
  offset_ += length;
  return true;
}

bool Reader::name_in(ByteSpan& data, Name& name) const {
  const auto start = static_cast<size_t>(data.data() - message_.data());
  size_t offset = start;
  if (!read_name(offset, start + data.size(), name)) return false;
  data = data.subspan(offset - start);
  return true;
}

}  // namespace proa::dns
