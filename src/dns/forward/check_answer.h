#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dns/forward/answer.h"
#include "dns/message/reader.h"

namespace proa::dns {

// A query as it was sent to an upstream.
struct Sent {
  uint16_t id = 0;
  Question question;  // with random upper and lower case (0x20)
  bool edns = false;
  bool dnssec_ok = false;
  bool tcp = false;
};

enum class AnswerFault : uint8_t {
  kNone,
  kNotOurs,    // another id or question: spoofed or late; the real one may still come
  kOtherCase,  // by UDP, and the letters' case was not kept: spoofed, or an old server
  kTruncated,  // to be asked again by TCP
  kNoEdns,     // the server does not understand EDNS
  kMalformed,
};

struct CheckedAnswer {
  AnswerFault fault = AnswerFault::kNone;
  bool case_kept = true;              // by TCP, where nobody else can answer, it is no fault
  std::optional<Answer> answer = {};  // without a fault
};

// Whether a message answers what was sent, and what of it belongs to that question: the chain of
// CNAMEs that begins at the question's name, the records of the asked type at its end, the SOA
// record of a zone above it where there are none, and signatures if they were asked for. The rest,
// with which a server could tell of names that nobody asked for, is dropped. `scratch` holds
// kMostMessage bytes.
CheckedAnswer check_answer(ByteSpan message, const Sent& sent, std::span<uint8_t> scratch);

}  // namespace proa::dns
