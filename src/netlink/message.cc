#include "netlink/message.h"

#include <algorithm>

#include "base/check.h"

namespace proa::netlink {
namespace message {

template <std::unsigned_integral T>
std::string_view network_bytes(T value, char (&buffer)[sizeof(T)]) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    buffer[i] = static_cast<char>(value >> (8 * (sizeof(T) - 1 - i)));
  }
  return {buffer, sizeof(T)};
}

}  // namespace message

void Batch::append_padded(std::string_view bytes) {
  bytes_ += bytes;
  bytes_.resize(NLA_ALIGN(bytes_.size()));
}

// Lengths of messages have 32 bits; a batch never comes near.
void Batch::close_message() {
  if (starts_.empty()) return;
  nlmsghdr header{};
  std::memcpy(&header, bytes_.data() + starts_.back(), sizeof header);
  header.nlmsg_len = static_cast<uint32_t>(bytes_.size() - starts_.back());
  std::memcpy(bytes_.data() + starts_.back(), &header, sizeof header);
}

void Batch::begin_bytes(uint16_t type, uint16_t flags, std::string_view fixed) {
  close_message();
  starts_.push_back(bytes_.size());
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_flags = static_cast<uint16_t>(flags | NLM_F_REQUEST);
  append_padded({reinterpret_cast<const char*>(&header), sizeof header});
  append_padded(fixed);
}

void Batch::bytes(uint16_t type, std::string_view bytes) {
  CHECK(!starts_.empty() && bytes.size() <= kMostNested);
  const nlattr header{.nla_len = static_cast<uint16_t>(NLA_HDRLEN + bytes.size()),
                      .nla_type = type};
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
  append_padded(bytes);
}

void Batch::text(uint16_t type, std::string_view text) {
  CHECK(!starts_.empty() && text.size() < kMostNested);
  const nlattr header{.nla_len = static_cast<uint16_t>(NLA_HDRLEN + text.size() + 1),
                      .nla_type = type};
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
  bytes_ += text;
  append_padded(std::string_view("\0", 1));
}

void Batch::network16(uint16_t type, uint16_t value) {
  char buffer[sizeof value];
  bytes(type, message::network_bytes(value, buffer));
}

void Batch::network32(uint16_t type, uint32_t value) {
  char buffer[sizeof value];
  bytes(type, message::network_bytes(value, buffer));
}

void Batch::network64(uint16_t type, uint64_t value) {
  char buffer[sizeof value];
  bytes(type, message::network_bytes(value, buffer));
}

void Batch::address(uint16_t type, const IpAddress& address) {
  const std::string_view all(reinterpret_cast<const char*>(address.bytes.data()),
                             address.bytes.size());
  bytes(type, address.is_v4() ? all.substr(12) : all);
}

Batch::Nest Batch::nest(uint16_t type) {
  const size_t begin = bytes_.size();
  bytes(static_cast<uint16_t>(type | NLA_F_NESTED), {});
  return {*this, begin};
}

void Batch::close_nest(size_t begin) {
  const size_t length = bytes_.size() - begin;
  CHECK(length <= 0xffff);
  const auto short_length = static_cast<uint16_t>(length);
  std::memcpy(bytes_.data() + begin, &short_length, sizeof short_length);
}

void Batch::clear() {
  bytes_.clear();
  starts_.clear();
}

std::string_view Batch::number_from(uint32_t first, uint32_t port) {
  close_message();
  for (size_t i = 0; i < starts_.size(); ++i) {
    nlmsghdr header = this->header(i);
    header.nlmsg_seq = first + static_cast<uint32_t>(i);
    header.nlmsg_pid = port;
    std::memcpy(bytes_.data() + starts_[i], &header, sizeof header);
  }
  return bytes_;
}

nlmsghdr Batch::header(size_t index) const {
  nlmsghdr header{};
  std::memcpy(&header, bytes_.data() + starts_[index], sizeof header);
  return header;
}

void Batch::add_flags(size_t index, uint16_t flags) {
  nlmsghdr header = this->header(index);
  header.nlmsg_flags = static_cast<uint16_t>(header.nlmsg_flags | flags);
  std::memcpy(bytes_.data() + starts_[index], &header, sizeof header);
}

std::optional<uint64_t> Attribute::number() const {
  if (const auto value = as<uint8_t>()) return *value;
  if (const auto value = as<uint16_t>()) return *value;
  if (const auto value = as<uint32_t>()) return *value;
  return as<uint64_t>();
}

std::optional<uint64_t> Attribute::network_number() const {
  const size_t size = bytes_.size();
  if (!present_ || (size != 1 && size != 2 && size != 4 && size != 8)) return std::nullopt;
  uint64_t value = 0;
  for (const char byte : bytes_) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

std::string_view Attribute::text() const { return bytes_.substr(0, bytes_.find('\0')); }

std::optional<IpAddress> Attribute::address() const {
  IpAddress address;
  if (!present_) return std::nullopt;
  if (bytes_.size() == 4) {
    address.bytes[10] = address.bytes[11] = 0xff;
    std::memcpy(address.bytes.data() + 12, bytes_.data(), 4);
    return address;
  }
  if (bytes_.size() != address.bytes.size()) return std::nullopt;
  std::memcpy(address.bytes.data(), bytes_.data(), address.bytes.size());
  return address;
}

Attributes Attribute::nested() const { return Attributes(bytes_); }

void Attributes::Iterator::read() {
  nlattr header{};
  if (rest_.size() >= sizeof header) {
    std::memcpy(&header, rest_.data(), sizeof header);
    if (header.nla_len >= NLA_HDRLEN && header.nla_len <= rest_.size()) {
      current_ = Attribute(header.nla_type, rest_.substr(NLA_HDRLEN, header.nla_len - NLA_HDRLEN));
      return;
    }
  }
  rest_ = {};
  current_ = {};
}

Attributes::Iterator& Attributes::Iterator::operator++() {
  const size_t length = NLA_ALIGN(NLA_HDRLEN + current_.bytes().size());
  rest_.remove_prefix(std::min(length, rest_.size()));
  read();
  return *this;
}

Attribute Attributes::find(uint16_t type) const {
  for (const Attribute& attribute : *this) {
    if (attribute.type() == type) return attribute;
  }
  return {};
}

Attributes Message::attributes_behind(size_t fixed) const {
  const size_t behind = NLMSG_ALIGN(fixed);
  if (payload.size() <= behind) return {};
  return Attributes(payload.substr(behind));
}

std::optional<Message> MessageReader::next() {
  Message message;
  if (rest_.size() < sizeof message.header) return std::nullopt;
  std::memcpy(&message.header, rest_.data(), sizeof message.header);
  const size_t length = message.header.nlmsg_len;
  if (length < NLMSG_HDRLEN || length > rest_.size()) return std::nullopt;
  message.payload = rest_.substr(NLMSG_HDRLEN, length - NLMSG_HDRLEN);
  rest_.remove_prefix(std::min<size_t>(NLMSG_ALIGN(length), rest_.size()));
  return message;
}

std::optional<Answer> read_answer(const Message& message) {
  const auto error = message.fixed<nlmsgerr>();
  if (message.header.nlmsg_type != NLMSG_ERROR || !error) return std::nullopt;
  Answer answer{.error = error->error == INT32_MIN ? 0 : -error->error,
                .sequence = message.header.nlmsg_seq};
  if ((message.header.nlmsg_flags & NLM_F_ACK_TLVS) == 0) return answer;
  // Capped: only the header of the request is repeated; else all of it is in between.
  size_t behind = sizeof(nlmsgerr);
  if ((message.header.nlmsg_flags & NLM_F_CAPPED) == 0) {
    behind += std::max<size_t>(error->msg.nlmsg_len, NLMSG_HDRLEN) - NLMSG_HDRLEN;
  }
  answer.text = message.attributes_behind(behind).find(NLMSGERR_ATTR_MSG).text();
  return answer;
}

}  // namespace proa::netlink
