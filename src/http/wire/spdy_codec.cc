#include "http/wire/spdy_codec.h"

#include <algorithm>
#include <utility>

namespace proa::http {
namespace spdy {

constexpr uint16_t kControl = 0x8000;
constexpr uint16_t kVersion = 3;
constexpr uint16_t kOpen = 1;
constexpr uint16_t kReset = 3;
constexpr uint16_t kPing = 6;
constexpr uint16_t kHeaders = 8;
constexpr uint16_t kReply = 2;
constexpr uint8_t kLast = 0x01;
constexpr size_t kHead = 8;
// The largest control frame of upstream's servers, and more than others need.
constexpr size_t kMaxControl = 64 * 1024;
constexpr size_t kMaxData = 32 * 1024;
constexpr uint32_t kStreamBits = 0x7fffffff;

void put(std::string& to, uint64_t value, size_t bytes) {
  for (size_t i = bytes; i-- > 0;) to += static_cast<char>(value >> (8 * i));
}

uint32_t get(std::string_view from, size_t offset, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value = value << 8 | static_cast<unsigned char>(from[offset + i]);
  }
  return value;
}

// An uncompressed deflate block.
std::string stored_block(std::string_view bytes) {
  const auto size = static_cast<uint16_t>(bytes.size());
  std::string block(1, '\0');
  for (const uint16_t number : {size, static_cast<uint16_t>(~size)}) {
    block += static_cast<char>(number & 0xff);
    block += static_cast<char>(number >> 8);
  }
  return block.append(bytes);
}

}  // namespace spdy

// A valid zlib stream need not compress, nor refer to SPDY's dictionary. An empty block flushes
// what came before.
std::string SpdyCodec::packed(const Headers& headers) {
  std::string block;
  spdy::put(block, static_cast<uint64_t>(std::distance(headers.begin(), headers.end())), 4);
  for (const auto& [name, value] : headers) {
    spdy::put(block, name.size(), 4);
    block += name;
    spdy::put(block, value.size(), 4);
    block += value;
  }
  const std::string begin = std::exchange(packs_, true) ? "" : "\x78\x01";
  return begin + spdy::stored_block(block) + spdy::stored_block("");
}

void SpdyCodec::add_control(uint16_t type, std::string_view payload) {
  spdy::put(output_, spdy::kControl | spdy::kVersion, 2);
  spdy::put(output_, type, 2);
  spdy::put(output_, payload.size(), 4);  // no flags
  output_ += payload;
}

void SpdyCodec::add_data(uint32_t stream, uint8_t flags, std::string_view bytes) {
  spdy::put(output_, stream, 4);
  spdy::put(output_, uint64_t{flags} << 24 | bytes.size(), 4);
  output_ += bytes;
}

uint32_t SpdyCodec::open(const Headers& headers) {
  const uint32_t stream = std::exchange(next_stream_, next_stream_ + 2);
  std::string payload;
  spdy::put(payload, stream, 4);
  spdy::put(payload, 0, 6);  // of no other stream, no priority, no credential
  add_control(spdy::kOpen, payload + packed(headers));
  return stream;
}

void SpdyCodec::send(uint32_t stream, std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), spdy::kMaxData))) {
    add_data(stream, 0, bytes.substr(0, spdy::kMaxData));
  }
}

void SpdyCodec::end(uint32_t stream) { add_data(stream, spdy::kLast, {}); }

std::string SpdyCodec::take_output() { return std::exchange(output_, {}); }

Result<void> SpdyCodec::receive(std::string_view bytes) {
  while (!bytes.empty()) {
    if (head_.size() < spdy::kHead) {
      const size_t missing = std::min(spdy::kHead - head_.size(), bytes.size());
      head_ += bytes.substr(0, missing);
      bytes.remove_prefix(missing);
      if (head_.size() < spdy::kHead) return {};
      TRY(begin_frame());
    }
    const std::string_view part = bytes.substr(0, left_);
    bytes.remove_prefix(part.size());
    left_ -= part.size();
    if (!part.empty()) take_part(part);
    if (left_ == 0) finish_frame();
  }
  return {};
}

Result<void> SpdyCodec::begin_frame() {
  const uint32_t first = spdy::get(head_, 0, 4);
  left_ = spdy::get(head_, 5, 3);
  const bool is_control = (first & ~spdy::kStreamBits) != 0;
  stream_ = is_control ? 0 : first;
  payload_.clear();
  if (!is_control && stream_ == 0)
    return Status(Reason::kBadRequest, "SPDY data frame without a stream");
  if (!is_control) return {};
  if ((first >> 16) != (spdy::kControl | spdy::kVersion)) {
    return Status(Reason::kBadRequest, "unsupported SPDY version");
  }
  if (left_ > spdy::kMaxControl) return Status(Reason::kBadRequest, "SPDY frame too large");
  return {};
}

void SpdyCodec::take_part(std::string_view part) {
  if (stream_ == 0) {
    payload_ += part;
  } else {
    events_.on_data(stream_, part);
  }
}

void SpdyCodec::finish_frame() {
  const uint32_t type = spdy::get(head_, 2, 2);
  const bool is_last = (spdy::get(head_, 4, 1) & spdy::kLast) != 0;
  const uint32_t stream = stream_;
  head_.clear();
  if (stream != 0) {
    if (is_last) events_.on_end(stream);
    return;
  }
  if (payload_.size() < 4) return;
  const uint32_t number = spdy::get(payload_, 0, 4);
  // Pings with even ids are the peer's, and need an answer.
  if (type == spdy::kPing && number % 2 == 0) add_control(spdy::kPing, payload_.substr(0, 4));
  const bool is_about_stream =
      type == spdy::kReply || type == spdy::kHeaders || type == spdy::kReset;
  if (is_about_stream && (is_last || type == spdy::kReset)) {
    events_.on_end(number & spdy::kStreamBits);
  }
}

}  // namespace proa::http
