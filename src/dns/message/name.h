#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dns/message/types.h"

namespace proa::dns {

// A domain name in wire form without compression: labels, each after its length, and the root's
// zero byte. A view into bytes that somebody else owns. It is always well formed, because only
// Name, and the reader, make one.
class NameView {
 public:
  // The root.
  NameView() : wire_("\0", 1) {}
  // REQUIRES: `wire` is exactly one well-formed name.
  static NameView of_wire(std::string_view wire) { return NameView(wire); }

  std::string_view wire() const { return wire_; }
  size_t size() const { return wire_.size(); }
  bool is_root() const { return wire_.size() == 1; }
  size_t labels() const;

  // The first label, without its length; empty for the root.
  std::string_view label() const {
    return wire_.substr(1, static_cast<unsigned char>(wire_.front()));
  }
  // Without the first label. REQUIRES: not the root.
  NameView parent() const {
    return NameView(wire_.substr(1 + static_cast<size_t>(static_cast<unsigned char>(wire_[0]))));
  }
  // Whether the name is `zone` or below it, in any case.
  bool within(NameView zone) const;

  // "kubernetes.default.svc.cluster.local.", special characters escaped as in zone files.
  std::string str() const;

  // In any case of ASCII letters, as RFC 4343 wants it.
  bool operator==(NameView other) const;

 private:
  explicit NameView(std::string_view wire) : wire_(wire) {}
  std::string_view wire_;
};

// A name that has its bytes in itself: no allocation. Keeps the case that it was written in.
class Name {
 public:
  Name() { bytes_[0] = 0; }
  explicit Name(NameView name) { assign(name); }
  Name(const Name& other) { assign(other.view()); }
  Name& operator=(const Name& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  // "a.b.c" or "a.b.c.", with escapes as in zone files; nullopt if it is none.
  static std::optional<Name> parse(std::string_view text);

  NameView view() const {
    return NameView::of_wire({reinterpret_cast<const char*>(bytes_.data()), size_});
  }
  operator NameView() const { return view(); }  // NOLINT: a name is a view of itself
  std::string_view wire() const { return view().wire(); }
  size_t size() const { return size_; }
  std::string str() const { return view().str(); }

  void assign(NameView name);
  void clear() {
    size_ = 1;
    bytes_[0] = 0;
  }
  // Adds a label before the root. False, with nothing added, if the label is empty or too long, or
  // the name would be.
  bool append(std::string_view label);
  bool append(NameView name);
  // ASCII letters only.
  void lower();
  Name lowered() const {
    Name result = *this;
    result.lower();
    return result;
  }

  bool operator==(const Name& other) const { return view() == other.view(); }
  bool operator==(NameView other) const { return view() == other; }

 private:
  uint8_t size_ = 1;
  std::array<uint8_t, kMostName> bytes_;  // what is behind size_ is not set
};

// A byte in lower case, if it is an ASCII letter.
constexpr uint8_t lower_byte(uint8_t byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<uint8_t>(byte | 0x20) : byte;
}

// Equal for names that are equal. Not secret: for tables whose keys outsiders choose, mix in a
// seed.
uint64_t hash_name(NameView name, uint64_t seed = 0);

}  // namespace proa::dns
