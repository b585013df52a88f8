#include "dns/forward/answer.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "dns/message/writer.h"

namespace proa::dns {
namespace answer {

constexpr size_t kOptSize = 11;

void store16(uint8_t* at, uint16_t number) {
  at[0] = static_cast<uint8_t>(number >> 8);
  at[1] = static_cast<uint8_t>(number);
}

void store32(uint8_t* at, uint32_t number) {
  store16(at, static_cast<uint16_t>(number >> 16));
  store16(at + 2, static_cast<uint16_t>(number));
}

// REQUIRES: room for it.
void put_opt(uint8_t* at, bool dnssec_ok) {
  std::memset(at, 0, kOptSize);
  store16(at + 1, static_cast<uint16_t>(Type::kOpt));
  store16(at + 3, kOurUdpSize);
  if (dnssec_ok) at[7] = 0x80;
}

}  // namespace answer

Answer::Answer(Kind kind, Rcode rcode, ByteSpan message, uint32_t ttl, bool authentic)
    : ttl_(ttl),
      message_size_(static_cast<uint16_t>(message.size())),
      kind_(kind),
      rcode_(rcode),
      authentic_(authentic) {
  CHECK(message.size() <= kMostMessage);
  Reader reader(message);
  const auto header = reader.header();
  Question question;
  CHECK(header && header->questions == 1 && header->additionals == 0 && reader.question(question));
  const size_t records = size_t{header->answers} + header->authorities;
  bytes_.reserve(message.size() + 2 * records);
  bytes_.assign(reinterpret_cast<const char*>(message.data()), message.size());
  Record record;
  for (size_t i = 0; i < records; ++i) {
    CHECK(reader.record(record));
    // Before the data: the TTL and the length of the data.
    uint8_t place[2];
    answer::store16(place, static_cast<uint16_t>(reader.offset() - record.data.size() - 6));
    bytes_.append(reinterpret_cast<const char*>(place), sizeof place);
  }
}

bool Answer::is_about(const Question& question) const {
  const size_t size = question.name.size();
  if (message_size_ < kHeaderSize + size + 4) return false;
  const uint8_t* const at = message().data() + kHeaderSize;
  const auto* const name = reinterpret_cast<const uint8_t*>(question.name.wire().data());
  for (size_t i = 0; i < size; ++i) {
    // Lengths of labels are below the letters, so they are compared as they are.
    if (lower_byte(at[i]) != lower_byte(name[i])) return false;
  }
  return read16(at + size) == static_cast<uint16_t>(question.type) &&
         read16(at + size + 2) == static_cast<uint16_t>(question.klass);
}

size_t Answer::write(const Query& query, uint32_t ttl, std::span<uint8_t> out) const {
  const size_t opt = query.has_edns ? answer::kOptSize : 0;
  const size_t limit = std::min(query.limit(), out.size());
  if (message_size_ + opt > limit) return write_cut(query, ttl, out);
  uint8_t* const at = out.data();
  std::memcpy(at, bytes_.data(), message_size_);
  answer::store16(at, query.id);
  at[2] = static_cast<uint8_t>(0x80 | query.opcode << 3 | (query.recursion_desired ? 1 : 0));
  at[3] = static_cast<uint8_t>(0x80 | (authentic_ && query.dnssec_ok ? 0x20 : 0) |
                               (query.checking_disabled ? 0x10 : 0) |
                               (static_cast<unsigned>(rcode_) & 0xfU));
  // In the case of the client's letters. Names that point here get it, too.
  const std::string_view name = query.question.name.wire();
  std::memcpy(at + kHeaderSize, name.data(), name.size());
  const auto* places = reinterpret_cast<const uint8_t*>(bytes_.data()) + message_size_;
  const auto* const end = reinterpret_cast<const uint8_t*>(bytes_.data()) + bytes_.size();
  for (; places != end; places += 2) answer::store32(at + read16(places), ttl);
  if (!query.has_edns) return message_size_;
  answer::put_opt(at + message_size_, query.dnssec_ok);
  answer::store16(at + 10, 1);
  return message_size_ + answer::kOptSize;
}

size_t Answer::write_cut(const Query& query, uint32_t ttl, std::span<uint8_t> out) const {
  Writer writer(out, query.limit());
  writer.begin_response(query);
  Reader reader(message());
  const auto header = reader.header();
  Question question;
  CHECK(header && reader.question(question));
  Record record;
  for (size_t i = 0; i < header->answers && !writer.truncated(); ++i) {
    CHECK(reader.record(record));
    static_cast<void>(writer.copy(Section::kAnswer, reader, record, ttl));
  }
  for (size_t i = 0; i < header->authorities && !writer.truncated(); ++i) {
    CHECK(reader.record(record));
    static_cast<void>(writer.copy(Section::kAuthority, reader, record, ttl));
  }
  return writer.finish(
      rcode_, {.recursion_available = true, .authentic_data = authentic_ && query.dnssec_ok});
}

Answer failed_answer(const Question& question, Rcode rcode) {
  Query query;
  query.question = question;
  std::array<uint8_t, kPlainUdpSize> buffer;
  const size_t size = write_failure(query, rcode, buffer);
  return {Answer::Kind::kFailure, rcode, ByteSpan(buffer).first(size), 0, false};
}

uint64_t hash_query(const Query& query, uint64_t seed) {
  const uint64_t rest = static_cast<uint64_t>(query.question.type) << 32 |
                        static_cast<uint64_t>(query.question.klass) << 8 |
                        (query.dnssec_ok ? 2U : 0U) | (query.checking_disabled ? 1U : 0U);
  uint64_t hash = hash_name(query.question.name, seed) ^ (rest * 0x9e3779b97f4a7c15);
  hash ^= hash >> 32;
  return hash * 0xff51afd7ed558ccd;
}

bool have_same_answer(const Query& a, const Query& b) {
  return a.question.type == b.question.type && a.question.klass == b.question.klass &&
         a.dnssec_ok == b.dnssec_ok && a.checking_disabled == b.checking_disabled &&
         a.question.name == b.question.name;
}

size_t write_failure(const Query& query, Rcode rcode, std::span<uint8_t> out) {
  Writer writer(out, query.limit());
  writer.begin_response(query);
  return writer.finish(rcode, {.recursion_available = true});
}

}  // namespace proa::dns
