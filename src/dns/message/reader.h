#pragma once

#include <cstdint>
#include <optional>

#include "dns/message/name.h"
#include "dns/message/types.h"

namespace proa::dns {

// The first 12 bytes of a message.
struct Header {
  uint16_t id = 0;
  bool response = false;
  uint8_t opcode = 0;  // 0: a query
  bool authoritative = false;
  bool truncated = false;
  bool recursion_desired = false;
  bool recursion_available = false;
  bool authentic_data = false;
  bool checking_disabled = false;
  Rcode rcode = Rcode::kNoError;  // the lower four bits
  uint16_t questions = 0;
  uint16_t answers = 0;
  uint16_t authorities = 0;
  uint16_t additionals = 0;
};

struct Question {
  Name name;  // in the case that it was asked in
  Type type = Type::kA;
  Class klass = Class::kInternet;
};

// A record of a message. `data` points into the message, and may have compressed names in it.
struct Record {
  Name name;
  Type type = Type::kA;
  Class klass = Class::kInternet;  // the UDP size, if the type is OPT
  uint32_t ttl = 0;
  ByteSpan data;
};

// EDNS (RFC 6891): what an OPT record says.
struct Edns {
  uint16_t udp_size = kPlainUdpSize;
  uint8_t extended_rcode = 0;
  uint8_t version = 0;
  bool dnssec_ok = false;
};
// REQUIRES: the record is an OPT record.
Edns read_edns(const Record& record);

// Takes a message apart, from the front. Every read is checked against the message's end, and
// compression pointers lead backwards only: no message takes more than its size, times a constant.
// Where something is wrong nothing more can be read: `failed` says so.
class Reader {
 public:
  explicit Reader(ByteSpan message) : message_(message) {}

  // In this order: the header, its questions, the records of its sections. Nullopt or false: the
  // message is malformed or ends too early; a caller asks only as often as the header counts.
  std::optional<Header> header();
  bool question(Question& question);
  bool record(Record& record);
  // A record whose content is not needed. Returns false as record() does.
  bool skip_record();

  // A name inside of the data of a record: reads it and moves `data` behind it. The name may be
  // compressed: it points into what came before it in the message.
  bool name_in(ByteSpan& data, Name& name) const;

  size_t offset() const { return offset_; }
  bool at_end() const { return offset_ == message_.size(); }
  bool failed() const { return failed_; }
  ByteSpan message() const { return message_; }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  // Reads the name at `offset` and moves behind it. REQUIRES: offset <= end <= the message's size.
  bool read_name(size_t& offset, size_t end, Name& name) const;
  bool skip_name();

  ByteSpan message_;
  size_t offset_ = 0;
  bool failed_ = false;
};

// Numbers in network order. REQUIRES: the bytes are there.
inline uint16_t read16(const uint8_t* at) { return static_cast<uint16_t>(at[0] << 8 | at[1]); }
inline uint32_t read32(const uint8_t* at) {
  return static_cast<uint32_t>(at[0]) << 24 | static_cast<uint32_t>(at[1]) << 16 |
         static_cast<uint32_t>(at[2]) << 8 | at[3];
}

}  // namespace proa::dns
