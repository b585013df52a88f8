#include "dns/message/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/ip_address.h"

namespace proa::dns {
namespace text {

std::string address_text(ByteSpan data) {
  IpAddress address;
  if (data.size() == 4) {
    address = {.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
    std::ranges::copy(data, address.bytes.begin() + 12);
  } else {
    std::ranges::copy(data, address.bytes.begin());
  }
  return address.str();
}

std::string hex_text(ByteSpan data) {
  std::string out = fmt::format("\\# {}", data.size());
  if (!data.empty()) out += ' ';
  for (const uint8_t byte : data) out += fmt::format("{:02x}", byte);
  return out;
}

std::string strings_text(ByteSpan data) {
  std::string out;
  while (!data.empty()) {
    const size_t size = std::min<size_t>(data[0], data.size() - 1);
    out += out.empty() ? "\"" : " \"";
    for (const uint8_t byte : data.subspan(1, size)) {
      if (byte == '"' || byte == '\\') out += '\\';
      out += byte >= ' ' && byte < 0x7f ? std::string(1, static_cast<char>(byte))
                                        : fmt::format("\\{:03}", byte);
    }
    out += '"';
    data = data.subspan(1 + size);
  }
  return out;
}

// Numbers of 16 bits, a name: MX and SRV.
std::string numbers_and_name(const Reader& reader, ByteSpan data, size_t numbers) {
  std::string out;
  if (data.size() < numbers * 2) return "malformed";
  for (size_t i = 0; i < numbers; ++i) out += fmt::format("{} ", read16(data.data() + 2 * i));
  data = data.subspan(numbers * 2);
  Name name;
  return reader.name_in(data, name) ? out + name.str() : "malformed";
}

std::string soa_text(const Reader& reader, ByteSpan data) {
  Name primary;
  Name mailbox;
  if (!reader.name_in(data, primary) || !reader.name_in(data, mailbox) || data.size() != 20) {
    return "malformed";
  }
  std::string out = primary.str() + " " + mailbox.str();
  for (size_t i = 0; i < 5; ++i) out += fmt::format(" {}", read32(data.data() + 4 * i));
  return out;
}

std::string flags_text(const Header& header) {
  std::string out;
  if (header.authoritative) out += " aa";
  if (header.truncated) out += " tc";
  if (header.recursion_desired) out += " rd";
  if (header.recursion_available) out += " ra";
  if (header.authentic_data) out += " ad";
  if (header.checking_disabled) out += " cd";
  return out;
}

}  // namespace text

std::string data_text(const Reader& reader, const Record& record) {
  switch (record.type) {
    case Type::kA:
      return record.data.size() == 4 ? text::address_text(record.data) : "malformed";
    case Type::kAaaa:
      return record.data.size() == 16 ? text::address_text(record.data) : "malformed";
    case Type::kNs:
    case Type::kCname:
    case Type::kPtr:
    case Type::kDname:
      return text::numbers_and_name(reader, record.data, 0);
    case Type::kMx:
      return text::numbers_and_name(reader, record.data, 1);
    case Type::kSrv:
      return text::numbers_and_name(reader, record.data, 3);
    case Type::kSoa:
      return text::soa_text(reader, record.data);
    case Type::kTxt:
      return text::strings_text(record.data);
    default:
      return text::hex_text(record.data);
  }
}

std::string message_text(ByteSpan message) {
  Reader reader(message);
  const auto header = reader.header();
  if (!header) return "malformed\n";
  Question question;
  for (int i = 0; i < header->questions; ++i) {
    if (!reader.question(question)) return "malformed\n";
  }
  Rcode rcode = header->rcode;
  std::string edns;
  std::string lines;
  const int records = header->answers + header->authorities + header->additionals;
  for (int i = 0; i < records; ++i) {
    Record record;
    if (!reader.record(record)) return "malformed\n";
    if (record.type == Type::kOpt) {
      const Edns options = read_edns(record);
      rcode = static_cast<Rcode>(static_cast<unsigned>(rcode) | options.extended_rcode << 4U);
      edns = fmt::format(" edns={}{}", options.udp_size, options.dnssec_ok ? " do" : "");
      continue;
    }
    if (i >= header->answers) lines += i < header->answers + header->authorities ? "  " : "    ";
    lines += fmt::format("{} {} {} {}\n", record.name.str(), record.ttl, type_name(record.type),
                         data_text(reader, record));
  }
  return rcode_name(rcode) + text::flags_text(*header) + edns + "\n" + lines;
}

}  // namespace proa::dns
