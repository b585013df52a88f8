#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

// The protobuf wire format, independent of schemas.

namespace proa::api {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,  // obsolete; skipped as an unknown field
  kEndGroup = 4,
  kFixed32 = 5,
};

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // of a varint or fixed
  std::string_view bytes;  // of kBytes; a view into the message
};

// Reads the fields of one message. Input is not trusted: an error ends reading, in upstream's
// words; nothing is read outside of the message.
class WireReader {
 public:
  explicit WireReader(std::string_view message)
      : next_(message.data()), end_(message.data() + message.size()) {}

  // False at the end of the message or on an error.
  bool next(WireField& field);
  // One varint, as packed lists hold them.
  bool next_varint(uint64_t& value);
  bool next_fixed64(uint64_t& value);

  bool done() const { return next_ == end_ && error_.empty(); }
  // Where the next field starts.
  const char* position() const { return next_; }
  // Empty if there is none.
  std::string_view error() const { return error_; }

 private:
  bool fail(std::string_view error) {
    error_ = error;
    return false;
  }
  bool skip_group(uint32_t number);
  bool read_content(WireField& field);

  const char* next_;
  const char* end_;
  std::string_view error_;
};

// Writes a message back to front, so that the length of nested messages is known when it is
// written. Fields come in descending order, and content before its tag.
class ReverseWriter {
 public:
  ReverseWriter() : buffer_(kFirstSize, '\0'), start_(kFirstSize) {}

  size_t size() const { return buffer_.size() - start_; }

  void varint(uint64_t value);
  void fixed64(uint64_t value);
  void bytes(std::string_view text) { text.copy(reserve(text.size()), text.size()); }
  void tag(uint32_t number, WireType type) {
    varint((uint64_t{number} << 3) | static_cast<uint64_t>(type));
  }

  // Whole fields.
  void varint_field(uint32_t number, uint64_t value) {
    varint(value);
    tag(number, WireType::kVarint);
  }
  void bytes_field(uint32_t number, std::string_view text) {
    bytes(text);
    end_message(number, size() - text.size());
  }
  // For everything written since size() was `mark`.
  void end_message(uint32_t number, size_t mark) {
    varint(size() - mark);
    tag(number, WireType::kBytes);
  }

  std::string take();

 private:
  static constexpr size_t kFirstSize = 1024;

  // Makes room for that many bytes at the front.
  char* reserve(size_t count);

  std::string buffer_;
  size_t start_;
};

}  // namespace proa::api
