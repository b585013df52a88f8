#include "api/codec/protobuf/wire.h"

#include <algorithm>
#include <cstring>

namespace proa::api {
namespace wire {

constexpr std::string_view kEnd = "unexpected EOF";
constexpr std::string_view kOverflow = "proto: integer overflow";

}  // namespace wire

bool WireReader::next_varint(uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (next_ == end_) return fail(wire::kEnd);
    const auto byte = static_cast<uint8_t>(*next_++);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return fail(wire::kOverflow);
}

bool WireReader::next_fixed64(uint64_t& value) {
  if (end_ - next_ < 8) return fail(wire::kEnd);
  value = 0;
  for (int i = 0; i < 8; ++i) value |= uint64_t{static_cast<uint8_t>(next_[i])} << (8 * i);
  next_ += 8;
  return true;
}

bool WireReader::next(WireField& field) {
  if (next_ == end_ || !error_.empty()) return false;
  uint64_t tag = 0;
  if (!next_varint(tag)) return false;
  const uint64_t number = tag >> 3;
  if (number == 0 || number >= (uint64_t{1} << 29)) return fail("proto: illegal tag");
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  if (field.type == WireType::kEndGroup) return fail("proto: unexpected end of group");
  if (field.type == WireType::kGroup) return skip_group(field.number);
  return read_content(field);
}

bool WireReader::read_content(WireField& field) {
  switch (field.type) {
    case WireType::kVarint:
      return next_varint(field.value);
    case WireType::kFixed64:
      return next_fixed64(field.value);
    case WireType::kFixed32:
      if (end_ - next_ < 4) return fail(wire::kEnd);
      next_ += 4;
      return true;
    case WireType::kBytes: {
      uint64_t length = 0;
      if (!next_varint(length)) return false;
      if (length > static_cast<uint64_t>(end_ - next_)) return fail(wire::kEnd);
      field.bytes = {next_, static_cast<size_t>(length)};
      next_ += length;
      return true;
    }
    default:
      return fail("proto: illegal wireType");
  }
}

// Counts levels instead of recursing.
bool WireReader::skip_group(uint32_t number) {
  size_t depth = 1;
  while (depth > 0) {
    uint64_t tag = 0;
    if (!next_varint(tag)) return false;
    WireField inner;
    inner.type = static_cast<WireType>(tag & 7);
    if (inner.type == WireType::kGroup) {
      ++depth;
    } else if (inner.type == WireType::kEndGroup) {
      --depth;
      if (depth == 0 && tag >> 3 != number) return fail("proto: unexpected end of group");
    } else if (!read_content(inner)) {
      return false;
    }
  }
  return true;
}

char* ReverseWriter::reserve(size_t count) {
  if (count > start_) {
    const size_t used = size();
    const size_t grown = std::max(buffer_.size() * 2, used + count);
    std::string larger(grown, '\0');
    std::memcpy(larger.data() + grown - used, buffer_.data() + start_, used);
    buffer_ = std::move(larger);
    start_ = grown - used;
  }
  start_ -= count;
  return buffer_.data() + start_;
}

void ReverseWriter::varint(uint64_t value) {
  // A byte for each seven bits, at least one.
  const size_t count = (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
  char* place = reserve(count);
  for (size_t i = 0; i + 1 < count; ++i, value >>= 7)
    place[i] = static_cast<char>((value & 0x7F) | 0x80);
  place[count - 1] = static_cast<char>(value);
}

void ReverseWriter::fixed64(uint64_t value) {
  char* place = reserve(8);
  for (int i = 0; i < 8; ++i) place[i] = static_cast<char>(value >> (8 * i));
}

std::string ReverseWriter::take() {
  buffer_.erase(0, start_);
  start_ = 0;
  return std::move(buffer_);
}

}  // namespace proa::api
