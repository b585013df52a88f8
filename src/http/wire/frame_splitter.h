#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace proa::http {

// Finds where the frames of received HTTP/2 bytes end; looks at nothing but their lengths. nghttp2
// does not report frames that it ignores.
class FrameSplitter {
 public:
  struct Part {
    std::string_view bytes;
    bool ends_frame = false;
  };

  // `preface`: bytes that come before the first frame.
  explicit FrameSplitter(size_t preface) : preface_(preface) {}

  // Takes the bytes of one frame, or what is there of them, off the front of `bytes`.
  Part take(std::string_view& bytes) {
    if (preface_ > 0) {
      const size_t size = std::min(preface_, bytes.size());
      preface_ -= size;
      return {cut(bytes, size), false};
    }
    size_t size = 0;
    for (; head_ < kHead && size < bytes.size(); ++head_, ++size) {
      if (head_ < kLength) payload_ = (payload_ << 8) | static_cast<uint8_t>(bytes[size]);
    }
    const size_t payload = head_ == kHead ? std::min(payload_, bytes.size() - size) : 0;
    const bool ends = head_ == kHead && payload == payload_;
    if (head_ == kHead) payload_ -= payload;
    if (ends) head_ = 0;
    return {cut(bytes, size + payload), ends};
  }

 private:
  static constexpr size_t kHead = 9;    // RFC 9113, 4.1
  static constexpr size_t kLength = 3;  // the first bytes of the head

  static std::string_view cut(std::string_view& bytes, size_t size) {
    const std::string_view front = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return front;
  }

  size_t preface_;
  size_t head_ = 0;     // bytes of the current frame's head seen
  size_t payload_ = 0;  // bytes of its payload to come
};

}  // namespace proa::http
