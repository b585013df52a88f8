#pragma once

#include <linux/netlink.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/net/ip_address.h"

// Netlink messages, as the kernel reads and writes them: a header, the fixed header of the
// subsystem, attributes, which may contain attributes. Numbers are in the order of the machine
// unless the subsystem says otherwise (nf_tables: network order).

namespace proa::netlink {

// One or more messages in one growing buffer: what a single sendmsg() gives to the kernel.
//
//   Batch batch;
//   batch.begin(RTM_NEWLINK, NLM_F_CREATE, ifinfomsg{.ifi_family = AF_UNSPEC});
//   batch.text(IFLA_IFNAME, "proa0");
//   { const Batch::Nest info = batch.nest(IFLA_LINKINFO); batch.text(IFLA_INFO_KIND, "bridge"); }
class Batch {
 public:
  // Attributes written during its life are inside of it. REQUIRES: it ends before those that began
  // before it, and before the message; at most kMostNested bytes are written.
  class Nest {
   public:
    Nest(Batch& batch, size_t begin) : batch_(batch), begin_(begin) {}
    ~Nest() { batch_.close_nest(begin_); }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;
    // Bytes in it so far.
    size_t size() const { return batch_.bytes_.size() - begin_ - NLA_HDRLEN; }

   private:
    Batch& batch_;
    size_t begin_;
  };
  // The length of an attribute has 16 bits.
  static constexpr size_t kMostNested = 0xffff - NLA_HDRLEN;

  // Begins a message; NLM_F_REQUEST is set in all of them. `header`: the subsystem's.
  template <typename Header>
  void begin(uint16_t type, uint16_t flags, const Header& header) {
    static_assert(std::is_trivially_copyable_v<Header>);
    begin_bytes(type, flags, {reinterpret_cast<const char*>(&header), sizeof header});
  }

  // Attributes of the message. REQUIRES: one has begun; `bytes` fit (kMostNested).
  void bytes(uint16_t type, std::string_view bytes);
  // With the NUL that the kernel wants.
  void text(uint16_t type, std::string_view text);
  void flag(uint16_t type) { bytes(type, {}); }
  template <std::unsigned_integral T>
  void number(uint16_t type, T value) {
    bytes(type, {reinterpret_cast<const char*>(&value), sizeof value});
  }
  // In network order.
  void network16(uint16_t type, uint16_t value);
  void network32(uint16_t type, uint32_t value);
  void network64(uint16_t type, uint64_t value);
  // 4 or 16 bytes.
  void address(uint16_t type, const IpAddress& address);
  template <typename T>
  void raw(uint16_t type, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(type, {reinterpret_cast<const char*>(&value), sizeof value});
  }
  [[nodiscard]] Nest nest(uint16_t type);
  // A fixed header inside of a nest, where the kernel wants one before the attributes.
  template <typename Header>
  void fixed(const Header& header) {
    static_assert(std::is_trivially_copyable_v<Header>);
    append_padded({reinterpret_cast<const char*>(&header), sizeof header});
  }

  bool empty() const { return starts_.empty(); }
  // Messages so far.
  size_t count() const { return starts_.size(); }
  // Bytes so far.
  size_t size() const { return bytes_.size(); }
  void clear();

  // For the socket: numbers the messages from `first` on, and returns all bytes.
  std::string_view number_from(uint32_t first, uint32_t port);
  // The header of message `index`.
  nlmsghdr header(size_t index) const;
  // Sets more flags in message `index`.
  void add_flags(size_t index, uint16_t flags);

 private:
  void begin_bytes(uint16_t type, uint16_t flags, std::string_view header);
  void close_nest(size_t begin);
  void append_padded(std::string_view bytes);
  void close_message();

  std::string bytes_;
  std::vector<size_t> starts_;  // of the messages
};

class Attributes;

// An attribute that was read; the bytes are borrowed. Values of the wrong length are absent.
class Attribute {
 public:
  Attribute() = default;
  Attribute(uint16_t type, std::string_view bytes) : type_(type), bytes_(bytes), present_(true) {}

  explicit operator bool() const { return present_; }
  // Without the flags for nesting and byte order.
  uint16_t type() const { return type_ & NLA_TYPE_MASK; }
  std::string_view bytes() const { return bytes_; }

  template <typename T>
  std::optional<T> as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!present_ || bytes_.size() != sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }
  // Structs that grow with the kernel: as many bytes as there are, the rest zero.
  template <typename T>
  std::optional<T> at_most() const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!present_) return std::nullopt;
    T value{};
    std::memcpy(&value, bytes_.data(), std::min(bytes_.size(), sizeof value));
    return value;
  }
  // As the sender wrote it: 1, 2, 4 or 8 bytes.
  std::optional<uint64_t> number() const;
  // In network order, 1, 2, 4 or 8 bytes.
  std::optional<uint64_t> network_number() const;
  // Up to the first NUL, or all.
  std::string_view text() const;
  std::optional<IpAddress> address() const;
  Attributes nested() const;

 private:
  uint16_t type_ = 0;
  std::string_view bytes_;
  bool present_ = false;
};

// The attributes in some bytes, in order. Reading ends at the first that does not fit.
class Attributes {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) { read(); }
    const Attribute& operator*() const { return current_; }
    const Attribute* operator->() const { return &current_; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const {
      return static_cast<bool>(current_) == static_cast<bool>(other.current_) &&
             rest_.size() == other.rest_.size();
    }

   private:
    void read();
    std::string_view rest_;
    Attribute current_;
  };

  Attributes() = default;
  explicit Attributes(std::string_view bytes) : bytes_(bytes) {}
  Iterator begin() const { return Iterator(bytes_); }
  Iterator end() const { return Iterator({}); }
  // The first of this type; false if there is none.
  Attribute find(uint16_t type) const;

 private:
  std::string_view bytes_;
};

// A message that was read; the payload is borrowed.
struct Message {
  nlmsghdr header{};
  std::string_view payload = {};

  // The fixed header of the subsystem, if the payload is long enough.
  template <typename Header>
  std::optional<Header> fixed() const {
    static_assert(std::is_trivially_copyable_v<Header>);
    if (payload.size() < sizeof(Header)) return std::nullopt;
    Header value;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
  }
  // What is behind a fixed header.
  template <typename Header>
  Attributes attributes() const {
    return attributes_behind(sizeof(Header));
  }
  Attributes attributes_behind(size_t fixed) const;
};

// The messages in a datagram, one by one. Nullopt at the end, or when the rest is no message.
class MessageReader {
 public:
  explicit MessageReader(std::string_view datagram) : rest_(datagram) {}
  std::optional<Message> next();

 private:
  std::string_view rest_;
};

// NLMSG_ERROR: an errno (0: done), and the kernel's words if it has some.
struct Answer {
  int error = 0;
  std::string text = {};
  uint32_t sequence = 0;  // of the message that it answers
};
std::optional<Answer> read_answer(const Message& message);

}  // namespace proa::netlink
