#include "dns/message/writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace proa::dns {
namespace writer {

constexpr size_t kOptSize = 11;
constexpr size_t kMostPointer = 0x3fff;

// Types whose data has names in it that may be compressed (RFC 1035, and those that RFC 3597 wants
// to be read so): bytes before the names, and how many names. What is behind them is copied.
struct Layout {
  uint16_t type;
  uint8_t before;
  uint8_t names;
  bool compress;  // in what we write; RFC 3597 allows it for the types of RFC 1035 only
};
constexpr Layout kLayouts[] = {
    {2, 0, 1, true},    // NS
    {5, 0, 1, true},    // CNAME
    {6, 0, 2, true},    // SOA
    {7, 0, 1, true},    // MB
    {8, 0, 1, true},    // MG
    {9, 0, 1, true},    // MR
    {12, 0, 1, true},   // PTR
    {14, 0, 2, true},   // MINFO
    {15, 2, 1, true},   // MX
    {17, 0, 2, false},  // RP
    {18, 2, 1, false},  // AFSDB
    {21, 2, 1, false},  // RT
    {26, 2, 2, false},  // PX
    {33, 6, 1, false},  // SRV
    {36, 2, 1, false},  // KX
    {39, 0, 1, false},  // DNAME
};

const Layout* layout_of(Type type) {
  for (const Layout& layout : kLayouts) {
    if (layout.type == static_cast<uint16_t>(type)) return &layout;
  }
  return nullptr;
}

void store16(uint8_t* at, uint16_t number) {
  at[0] = static_cast<uint8_t>(number >> 8);
  at[1] = static_cast<uint8_t>(number);
}

void store32(uint8_t* at, uint32_t number) {
  store16(at, static_cast<uint16_t>(number >> 16));
  store16(at + 2, static_cast<uint16_t>(number));
}

}  // namespace writer

Writer::Writer(std::span<uint8_t> buffer, size_t limit)
    : buffer_(buffer.data()), limit_(std::min(buffer.size(), limit)) {
  CHECK(limit_ >= kHeaderSize + kMostName + 4 + writer::kOptSize);
}

void Writer::begin_error(const Query& query) {
  id_ = query.id;
  flags_[0] = static_cast<uint8_t>(0x80 | query.opcode << 3 | (query.recursion_desired ? 0x01 : 0));
  flags_[1] = query.checking_disabled ? 0x10 : 0;
  if (!query.has_edns) return;
  edns_size_ = kOurUdpSize;
  dnssec_ok_ = query.dnssec_ok;
  reserved_ = writer::kOptSize;
}

void Writer::begin_response(const Query& query) {
  begin_error(query);
  questions_ = 1;
  put_name(query.question.name, false);
  put16(static_cast<uint16_t>(query.question.type));
  put16(static_cast<uint16_t>(query.question.klass));
}

void Writer::begin_query(uint16_t id, const Question& question, uint16_t udp_size, bool dnssec_ok) {
  id_ = id;
  flags_[0] = 0x01;
  edns_size_ = udp_size;
  dnssec_ok_ = dnssec_ok;
  reserved_ = udp_size == 0 ? 0 : writer::kOptSize;
  questions_ = 1;
  put_name(question.name, false);
  put16(static_cast<uint16_t>(question.type));
  put16(static_cast<uint16_t>(question.klass));
}

bool Writer::put(const void* bytes, size_t size) {
  if (limit_ - reserved_ - size_ < size) return false;
  if (size > 0) std::memcpy(buffer_ + size_, bytes, size);
  size_ += size;
  return true;
}

bool Writer::put16(uint16_t number) {
  if (limit_ - reserved_ - size_ < sizeof number) return false;
  writer::store16(buffer_ + size_, number);
  size_ += sizeof number;
  return true;
}

bool Writer::put32(uint32_t number) {
  if (limit_ - reserved_ - size_ < sizeof number) return false;
  writer::store32(buffer_ + size_, number);
  size_ += sizeof number;
  return true;
}

bool Writer::is_at(size_t offset, NameView name) const {
  while (true) {
    const uint8_t length = buffer_[offset];
    if ((length & 0xc0U) == 0xc0U) {
      offset = static_cast<size_t>(length & 0x3fU) << 8 | buffer_[offset + 1];
      continue;
    }
    if (name.is_root() || length == 0) return name.is_root() && length == 0;
    const std::string_view label = name.label();
    if (label.size() != length) return false;
    const uint8_t* there = buffer_ + offset + 1;
    if (std::memcmp(there, label.data(), length) != 0) {
      for (size_t i = 0; i < length; ++i) {
        if (lower_byte(there[i]) != lower_byte(static_cast<uint8_t>(label[i]))) return false;
      }
    }
    offset += 1U + length;
    name = name.parent();
  }
}

size_t Writer::find(NameView name, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    if (is_at(known_[i], name)) return known_[i];
  }
  return 0;
}

bool Writer::put_name(NameView name, bool compress) {
  // Without labels of this name: what follows them is not written yet.
  const size_t complete = known_count_;
  for (; !name.is_root(); name = name.parent()) {
    const size_t known = find(name, complete);
    if (known != 0 && compress) return put16(static_cast<uint16_t>(0xc000U | known));
    const size_t at = size_;
    if (!put(name.wire().data(), name.label().size() + 1)) return false;
    if (known == 0 && at <= writer::kMostPointer && known_count_ < kMostKnown) {
      known_[known_count_++] = static_cast<uint16_t>(at);
    }
  }
  constexpr uint8_t kRoot = 0;
  return put(&kRoot, 1);
}

Writer::Open Writer::open(NameView name, Type type, Class klass, uint32_t ttl) {
  Open open{.start = size_, .length_at = 0, .known = known_count_, .ok = true};
  open.ok = put_name(name, true) && put16(static_cast<uint16_t>(type)) &&
            put16(static_cast<uint16_t>(klass)) && put32(ttl);
  open.length_at = size_;
  open.ok = open.ok && put16(0);
  return open;
}

// Takes back what was written of a record that does not fit.
bool Writer::close(const Open& open, bool ok, Section section) {
  if (ok && size_ - open.length_at - 2 <= 0xffff) {
    writer::store16(buffer_ + open.length_at, static_cast<uint16_t>(size_ - open.length_at - 2));
    ++counts_[static_cast<size_t>(section)];
    return true;
  }
  size_ = open.start;
  known_count_ = open.known;
  if (section != Section::kAdditional) truncated_ = true;
  return false;
}

bool Writer::address(Section section, NameView name, uint32_t ttl, const IpAddress& address) {
  const bool v4 = address.is_v4();
  const Open record = open(name, v4 ? Type::kA : Type::kAaaa, Class::kInternet, ttl);
  const size_t size = v4 ? 4 : 16;
  return close(record, record.ok && put(address.bytes.data() + address.bytes.size() - size, size),
               section);
}

bool Writer::name_record(Section section, NameView name, Type type, uint32_t ttl, NameView target) {
  const Open record = open(name, type, Class::kInternet, ttl);
  return close(record, record.ok && put_name(target, true), section);
}

bool Writer::srv(Section section, NameView name, uint32_t ttl, const Srv& srv) {
  const Open record = open(name, Type::kSrv, Class::kInternet, ttl);
  // RFC 2782: the target is not compressed.
  return close(record,
               record.ok && put16(srv.priority) && put16(srv.weight) && put16(srv.port) &&
                   put_name(srv.target, false),
               section);
}

bool Writer::soa(Section section, NameView zone, uint32_t ttl, const Soa& soa) {
  const Open record = open(zone, Type::kSoa, Class::kInternet, ttl);
  return close(record,
               record.ok && put_name(soa.primary, true) && put_name(soa.mailbox, true) &&
                   put32(soa.serial) && put32(soa.refresh) && put32(soa.retry) &&
                   put32(soa.expire) && put32(soa.minimum),
               section);
}

bool Writer::text(Section section, NameView name, uint32_t ttl, std::string_view text) {
  CHECK(text.size() <= 0xff);
  const Open record = open(name, Type::kTxt, Class::kInternet, ttl);
  const auto length = static_cast<uint8_t>(text.size());
  return close(record, record.ok && put(&length, 1) && put(text.data(), text.size()), section);
}

bool Writer::raw(Section section, const Record& record) {
  const Open begun = open(record.name, record.type, record.klass, record.ttl);
  return close(begun, begun.ok && put(record.data.data(), record.data.size()), section);
}

bool Writer::copy_data(const Reader& from, const Record& record, bool& malformed) {
  const writer::Layout* layout = writer::layout_of(record.type);
  if (layout == nullptr) return put(record.data.data(), record.data.size());
  ByteSpan rest = record.data;
  malformed = rest.size() < layout->before;
  if (malformed || !put(rest.data(), layout->before)) return false;
  rest = rest.subspan(layout->before);
  for (int i = 0; i < layout->names; ++i) {
    Name name;
    malformed = !from.name_in(rest, name);
    if (malformed || !put_name(name, layout->compress)) return false;
  }
  return put(rest.data(), rest.size());
}

bool Writer::copy(Section section, const Reader& from, const Record& record, uint32_t ttl) {
  const bool cut = truncated_;
  const Open begun = open(record.name, record.type, record.klass, ttl);
  bool malformed = false;
  const bool written = begun.ok && copy_data(from, record, malformed);
  const bool done = close(begun, written, section);
  if (malformed) truncated_ = cut;
  return done;
}

void Writer::rewind(const Mark& mark) {
  size_ = mark.size;
  known_count_ = mark.known;
  counts_ = mark.counts;
  truncated_ = mark.truncated;
}

size_t Writer::finish(Rcode rcode, ResponseFlags flags) {
  if (edns_size_ != 0) {
    uint8_t* at = buffer_ + size_;
    at[0] = 0;
    writer::store16(at + 1, static_cast<uint16_t>(Type::kOpt));
    writer::store16(at + 3, edns_size_);
    at[5] = static_cast<uint8_t>(static_cast<unsigned>(rcode) >> 4);
    at[6] = 0;
    writer::store16(at + 7, dnssec_ok_ ? 0x8000 : 0);
    writer::store16(at + 9, 0);
    size_ += writer::kOptSize;
    reserved_ = 0;
    ++counts_[static_cast<size_t>(Section::kAdditional)];
    edns_size_ = 0;
  }
  writer::store16(buffer_, id_);
  buffer_[2] =
      static_cast<uint8_t>(flags_[0] | (flags.authoritative ? 0x04 : 0) | (truncated_ ? 0x02 : 0));
  buffer_[3] = static_cast<uint8_t>(flags_[1] | (flags.recursion_available ? 0x80 : 0) |
                                    (flags.authentic_data ? 0x20 : 0) |
                                    (static_cast<unsigned>(rcode) & 0xfU));
  writer::store16(buffer_ + 4, questions_);
  for (size_t i = 0; i < counts_.size(); ++i) writer::store16(buffer_ + 6 + 2 * i, counts_[i]);
  return size_;
}

}  // namespace proa::dns
