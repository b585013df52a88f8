#include "http/wire/grpc_frame.h"

#include <algorithm>
#include <limits>

namespace proa::http {

std::string print_grpc_prefix(size_t size) {
  CHECK(size <= std::numeric_limits<uint32_t>::max());
  std::string prefix(kGrpcPrefixBytes, '\0');
  for (int byte = 0; byte < 4; ++byte)
    prefix[1 + byte] = static_cast<char>(size >> (24 - 8 * byte));
  return prefix;
}

std::string print_grpc_frame(std::string_view message) {
  return print_grpc_prefix(message.size()).append(message);
}

Result<void> GrpcFrameReader::feed(std::string_view bytes) {
  while (!bytes.empty() || (in_message_ && missing_ == 0)) {
    if (!in_message_) {
      const size_t take = std::min(bytes.size(), kGrpcPrefixBytes - prefix_.size());
      prefix_.append(bytes.substr(0, take));
      bytes.remove_prefix(take);
      if (prefix_.size() < kGrpcPrefixBytes) return {};
      if (prefix_[0] != 0) {
        return Status(Reason::kUnsupportedMediaType,
                      "gRPC message is compressed, which was not offered");
      }
      size_t size = 0;
      for (size_t i = 1; i < kGrpcPrefixBytes; ++i)
        size = size << 8 | static_cast<unsigned char>(prefix_[i]);
      if (size > max_message_) {
        return Status(Reason::kRequestEntityTooLarge, "gRPC message of " + std::to_string(size) +
                                                          " bytes is larger than " +
                                                          std::to_string(max_message_));
      }
      prefix_.clear();
      in_message_ = true;
      missing_ = size;
    }
    const size_t take = std::min(bytes.size(), missing_);
    message_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    missing_ -= take;
    if (missing_ > 0) return {};
    ready_.emplace_back(std::exchange(message_, {}));
    in_message_ = false;
  }
  return {};
}

std::optional<Bytes> GrpcFrameReader::next() {
  if (ready_.empty()) return std::nullopt;
  std::optional<Bytes> message(std::move(ready_.front()));
  ready_.pop_front();
  return message;
}

}  // namespace proa::http
