#pragma once

#include <algorithm>
#include <cstdint>

#include "dns/message/reader.h"

namespace proa::dns {

// One question of a client, and what limits the answer to it.
struct Query {
  uint16_t id = 0;
  uint8_t opcode = 0;  // repeated in the response
  bool recursion_desired = true;
  bool checking_disabled = false;
  Question question;
  bool has_edns = false;
  bool dnssec_ok = false;
  uint16_t udp_size = kPlainUdpSize;  // what the client can receive
  bool tcp = false;

  // Bytes of the response at most.
  size_t limit() const {
    if (tcp) return kMostMessage;
    if (!has_edns) return kPlainUdpSize;
    return std::clamp<size_t>(udp_size, kPlainUdpSize, kOurUdpSize);
  }
};

// How a message that should be a query is to be treated.
enum class QueryFault : uint8_t {
  kNone,
  kDrop,            // not even a header, or a response: an answer could start a loop
  kFormatError,     // `query.id` is set
  kNotImplemented,  // another operation than a query; `query.id` is set
  kBadVersion,      // a later version of EDNS; the query is complete
};

// Reads a message that a client sent. Sets all of `query` but `tcp`.
QueryFault parse_query(ByteSpan message, Query& query);

}  // namespace proa::dns
