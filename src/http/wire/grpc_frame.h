#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace proa::http {

// gRPC prefixes every message with five bytes: a flag (1: compressed) and the length, big endian.
inline constexpr size_t kGrpcPrefixBytes = 5;

// The five bytes in front of a message of `size` bytes. REQUIRES: it fits into 32 bits.
std::string print_grpc_prefix(size_t size);
// A whole frame: prefix and message.
std::string print_grpc_frame(std::string_view message);

// Splits a stream of body bytes into messages, however the bytes arrive.
class GrpcFrameReader {
 public:
  explicit GrpcFrameReader(size_t max_message) : max_message_(max_message) {}

  // A Status for a compressed message (we offer no encoding but identity) and for one over the
  // limit; the stream is unusable then.
  Result<void> feed(std::string_view bytes);
  // The next whole message, if there is one.
  std::optional<Bytes> next();
  // Whether the stream may end here: not in the middle of a message.
  bool at_boundary() const { return prefix_.empty() && !in_message_; }

 private:
  const size_t max_message_;
  std::string prefix_;  // the received part, while incomplete
  std::string message_;
  size_t missing_ = 0;
  bool in_message_ = false;
  std::deque<Bytes> ready_;
};

}  // namespace proa::http
