#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/net/ip_address.h"
#include "dns/message/query.h"
#include "dns/message/reader.h"

namespace proa::dns {

enum class Section : uint8_t { kAnswer, kAuthority, kAdditional };

struct Soa {
  NameView primary;
  NameView mailbox;
  uint32_t serial = 0;
  uint32_t refresh = 0;
  uint32_t retry = 0;
  uint32_t expire = 0;
  uint32_t minimum = 0;
};

struct Srv {
  uint16_t priority = 0;
  uint16_t weight = 0;
  uint16_t port = 0;
  NameView target;
};

struct ResponseFlags {
  bool authoritative = false;
  bool recursion_available = false;
  bool authentic_data = false;
};

// Writes one message into a buffer of the caller, names compressed. It allocates nothing.
//
//   Writer writer(buffer, query.limit());
//   writer.begin_response(query);
//   writer.address(Section::kAnswer, query.question.name, 30, address);
//   const size_t size = writer.finish(Rcode::kNoError, {.authoritative = true});
//
// What does not fit is left out: the call returns false, and the message is marked as truncated,
// unless it was an additional record. REQUIRES: sections are written in their order.
class Writer {
 public:
  // At most `limit` bytes. REQUIRES: both are at least kPlainUdpSize, or hold a header and the
  // longest question.
  Writer(std::span<uint8_t> buffer, size_t limit);

  // Header, question, and room for the OPT record that a client with EDNS gets.
  void begin_response(const Query& query);
  // The same for a message without a question that can be repeated.
  void begin_error(const Query& query);
  // A query to another server; its OPT record says `udp_size`, none if that is 0.
  void begin_query(uint16_t id, const Question& question, uint16_t udp_size, bool dnssec_ok);

  // A or AAAA, as the address is.
  bool address(Section section, NameView name, uint32_t ttl, const IpAddress& address);
  // CNAME, PTR, NS.
  bool name_record(Section section, NameView name, Type type, uint32_t ttl, NameView target);
  bool srv(Section section, NameView name, uint32_t ttl, const Srv& srv);
  bool soa(Section section, NameView zone, uint32_t ttl, const Soa& soa);
  // One character string. REQUIRES: at most 255 bytes.
  bool text(Section section, NameView name, uint32_t ttl, std::string_view text);
  // Data without compressed names.
  bool raw(Section section, const Record& record);
  // A record of another message; its data may have compressed names. False, too, if its data is
  // malformed; the message is then not marked as truncated.
  bool copy(Section section, const Reader& from, const Record& record, uint32_t ttl);

  // A place to go back to: what was written since is taken back.
  struct Mark {
    size_t size = 0;
    size_t known = 0;
    std::array<uint16_t, 3> counts{};
    bool truncated = false;
  };
  Mark mark() const {
    return {.size = size_, .known = known_count_, .counts = counts_, .truncated = truncated_};
  }
  void rewind(const Mark& mark);

  bool truncated() const { return truncated_; }
  // Records written so far.
  size_t count(Section section) const { return counts_[static_cast<size_t>(section)]; }
  // Behind what was written last: the TTL of the next record is at a place that follows from it.
  size_t size() const { return size_; }

  // The header and the OPT record; returns the size of the message.
  size_t finish(Rcode rcode, ResponseFlags flags = {});

 private:
  // Where labels begin that later names can point to. More are not remembered.
  static constexpr size_t kMostKnown = 64;
  struct Open {
    size_t start = 0;
    size_t length_at = 0;
    size_t known = 0;
    bool ok = true;
  };

  Open open(NameView name, Type type, Class klass, uint32_t ttl);
  bool close(const Open& open, bool ok, Section section);
  bool put(const void* bytes, size_t size);
  bool put16(uint16_t number);
  bool put32(uint32_t number);
  // With a pointer to an earlier name, where that is allowed and there is one.
  bool put_name(NameView name, bool compress);
  bool copy_data(const Reader& from, const Record& record, bool& malformed);
  // Where that name is in the message already, by the first `count` of known_; 0 if nowhere.
  size_t find(NameView name, size_t count) const;
  bool is_at(size_t offset, NameView name) const;

  uint8_t* const buffer_;
  size_t limit_;
  size_t size_ = kHeaderSize;
  size_t reserved_ = 0;  // for the OPT record
  uint8_t flags_[2] = {0, 0};
  uint16_t id_ = 0;
  uint16_t questions_ = 0;
  uint16_t edns_size_ = 0;  // 0: no OPT record
  bool dnssec_ok_ = false;
  bool truncated_ = false;
  std::array<uint16_t, 3> counts_{};
  size_t known_count_ = 0;
  std::array<uint16_t, kMostKnown> known_;
};

}  // namespace proa::dns
